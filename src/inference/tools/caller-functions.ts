import type { ModelMessage, ToolChoice, ToolSet, TypedToolCall } from "ai";

import { parseJson } from "../../core/input/parse-json.ts";
import type { CallerFunctions, EarlierMessage, FunctionCall } from "../types.ts";

export type OfferedTools = {
  tools: ToolSet;
  toolChoice?: ToolChoice<ToolSet>;
  /** Names of tools whose calls end the turn: the caller runs them. */
  handedBack: ReadonlySet<string>;
};

/** Searches, which the turn runs itself, together with the caller's functions, which it does not. */
export async function offerTools(
  searches: ToolSet,
  callerFunctions: CallerFunctions | undefined,
): Promise<OfferedTools> {
  const handedBack = new Set<string>();
  if (callerFunctions === undefined) return { tools: searches, handedBack };
  const isRefused = callerFunctions.choice === "none";
  const hasSearches = Object.keys(searches).length > 0;
  if (isRefused && hasSearches) return { tools: searches, handedBack };
  const { jsonSchema, tool } = await import("../ai-sdk.ts");
  for (const { name } of isRefused ? [] : callerFunctions.functions) handedBack.add(name);
  // Assigned one by one, a function named __proto__ would be lost.
  const functions: ToolSet = Object.fromEntries(
    callerFunctions.functions.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
  const tools = { ...searches, ...functions };
  return { tools, handedBack, toolChoice: callerFunctions.choice };
}

/** A call as the model made it. */
export type AskedCall = Pick<
  TypedToolCall<ToolSet>,
  "toolCallId" | "toolName" | "input" | "invalid"
>;

/** The calls that the caller is to run; input that is not JSON is handed back as it came. */
export function functionCallsIn(
  calls: AskedCall[],
  handedBack: ReadonlySet<string>,
  { parallel }: Pick<CallerFunctions, "parallel">,
): FunctionCall[] {
  const handed = calls.filter(({ toolName }) => handedBack.has(toolName));
  return (parallel ? handed : handed.slice(0, 1)).map(
    ({ toolCallId: id, toolName: name, input }) => {
      return { id, name, arguments: typeof input === "string" ? input : JSON.stringify(input) };
    },
  );
}

/** Messages of a conversation in the SDK's form. */
export const modelMessages = (messages: EarlierMessage[]): ModelMessage[] =>
  messages.map((message): ModelMessage => {
    if (message.role === "tool") {
      const { id: toolCallId, name: toolName } = message.call;
      const output = { type: "text" as const, value: message.content };
      return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
    }
    const { role, content, calls = [] } = message;
    if (role === "user" || calls.length === 0) return { role, content };
    const text = content === "" ? [] : [{ type: "text" as const, text: content }];
    const functionCalls = calls.map(({ id, name, arguments: json }) => {
      // Some servers write nothing where a function takes no arguments.
      const input = json === "" ? {} : (parseJson(json) ?? json);
      return { type: "tool-call" as const, toolCallId: id, toolName: name, input };
    });
    return { role: "assistant", content: [...text, ...functionCalls] };
  });
