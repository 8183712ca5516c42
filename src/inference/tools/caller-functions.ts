import type { JSONValue, ModelMessage, ToolChoice, ToolSet } from "ai";

import type { CallerFunctions, EarlierMessage, FunctionCall } from "../types.ts";

export type OfferedTools = {
  tools: ToolSet;
  toolChoice?: ToolChoice<ToolSet>;
  /** Names of tools whose calls end the turn: the caller runs them. */
  handedBack: ReadonlySet<string>;
};

/** Searches, which the turn runs itself, together with the caller's functions, which it does not. */
export async function offeredTools(
  searches: ToolSet,
  asked: CallerFunctions | undefined,
): Promise<OfferedTools> {
  const handedBack = new Set<string>();
  if (asked === undefined) return { tools: searches, handedBack };
  const isRefused = asked.choice === "none";
  const hasSearches = Object.keys(searches).length > 0;
  if (isRefused && hasSearches) return { tools: searches, handedBack };
  const { jsonSchema, tool } = await import("../ai-sdk.ts");
  for (const { name } of isRefused ? [] : asked.functions) handedBack.add(name);
  // Assigned one by one, a function named __proto__ would be lost.
  const functions: ToolSet = Object.fromEntries(
    asked.functions.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
  const tools = { ...searches, ...functions };
  return asked.choice === "auto"
    ? { tools, handedBack }
    : { tools, handedBack, toolChoice: asked.choice };
}

type ModelCall = { id: string; tool: string; input: unknown };

/** The calls that the caller is to run; input that is not JSON is handed back as it came. */
export function functionCallsIn(
  calls: ModelCall[],
  handedBack: ReadonlySet<string>,
  { parallel }: Pick<CallerFunctions, "parallel">,
): FunctionCall[] {
  const handed = calls.filter(({ tool }) => handedBack.has(tool));
  return (parallel ? handed : handed.slice(0, 1)).map(({ id, tool, input }) => {
    return { id, name: tool, arguments: typeof input === "string" ? input : JSON.stringify(input) };
  });
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
    const made = calls.map(({ id, name, arguments: input }) => {
      const parsed = parsedOrText(input);
      return { type: "tool-call" as const, toolCallId: id, toolName: name, input: parsed };
    });
    return { role: "assistant", content: [...text, ...made] };
  });

function parsedOrText(json: string): JSONValue {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
    return JSON.parse(json) as JSONValue;
  } catch {
    return json;
  }
}
