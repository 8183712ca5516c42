import { z } from "zod";

import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import { schemaProblem } from "../../inference/json-schema/keywords.ts";
import { searchToolNames } from "../../inference/tools/search-tools.ts";
import type { CallerFunctions, FunctionCall } from "../../inference/types.ts";
import type { Services } from "../../services.ts";
import type { Runner } from "../run.ts";
import { refuse } from "./errors.ts";

/** OpenAI's limit. */
const FUNCTIONS_LIMIT = 128;
/** All functions together as JSON, in UTF-8: they are a part of every prompt. */
const MAX_FUNCTIONS_KIB = 256;
const KIB = 1_024;

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
export const FunctionName = z.string().regex(NAME, "must be 1 to 64 letters, digits, _ or -");

/** https://platform.openai.com/docs/guides/function-calling */
export const FunctionFields = {
  name: FunctionName,
  description: z.string().nullish(),
  parameters: z
    .record(z.string(), z.unknown())
    .refine(({ type = "object" }) => type === "object", "must be a JSON Schema of type object")
    .superRefine((schema, context) => {
      const problem = schemaProblem(schema);
      if (problem !== null) context.addIssue(problem);
    })
    .nullish(),
  strict: z.boolean().nullish(),
};

/** `removeHostedTools` leaves holes. */
export const functionsOf = <Tool extends z.ZodType>(tool: Tool) =>
  z
    .array(tool.optional())
    .max(FUNCTIONS_LIMIT)
    .transform((tools) => tools.filter((each) => each !== undefined))
    .nullish();

const HostedTool = z.object({ type: z.string().regex(/^(?!function$)[\w.-]{1,64}$/) });
/** In a refusal. */
const MAX_TYPES = 5;
const LEFT_TO_THE_MODEL = new Set<unknown>([undefined, null, "auto", "none"]);

/**
 * Programs such as Codex always offer tools of OpenAI's servers (`web_search`, `namespace`) beside
 * their functions: those that the model need not use are left out, their types told.
 * @throws OpenAiRefusal where the model would have to use one
 */
export function removeHostedTools(body: unknown): { body: unknown; hosted: string[] } {
  if (!isObject(body) || !Array.isArray(body["tools"])) return { body, hosted: [] };
  const types = body["tools"].map((each) => HostedTool.safeParse(each).data?.type);
  const hosted = [...new Set(types.filter((type) => type !== undefined))];
  const { tool_choice: choice, tools } = body;
  const isNamed = isObject(choice) && choice["type"] === "function";
  if (hosted.length > 0 && !isNamed && !LEFT_TO_THE_MODEL.has(choice)) {
    const type = isObject(choice) ? hosted.find((each) => each === choice["type"]) : undefined;
    throw refuse(
      "tool_choice",
      `must be auto, none or a function: Quarry does not run ${type ?? hosted.slice(0, MAX_TYPES).join(", ")}`,
    );
  }
  const functions = tools.map((each: unknown, at) => (types[at] === undefined ? each : undefined));
  return { body: { ...body, tools: functions }, hosted };
}

/** The type of every tool that is taken. */
export const FunctionType = z.literal(
  "function",
  "must be function: Quarry searches without a tool and runs no hosted tools",
);

const Named = z.object({ type: FunctionType, name: FunctionName });
export const MODES = z.enum(["auto", "none", "required"]);
export const CHOICES = z.enum(MODES.options, "must be auto, none, required or a function of tools");

/** `tool_choice` of responses; that of chat completions puts names one level deeper. */
export const ToolChoice = z.union([
  CHOICES,
  Named,
  z.object({ type: z.literal("allowed_tools"), mode: MODES, tools: z.array(Named) }),
]);

/** The call itself: clients that count on a store send this id in place of the item. */
export const callItemId = (call: FunctionCall): string =>
  `fc_${Buffer.from(JSON.stringify(call)).toString("base64url")}`;

const WrittenCall = z.object({ id: z.string().min(1), name: z.string(), arguments: z.string() });

/** Undefined for an id that `callItemId` did not write. */
export const callOfItem = (itemId: string): FunctionCall | undefined =>
  WrittenCall.safeParse(parseJson(Buffer.from(itemId.slice(3), "base64url").toString())).data;

type AskedFunction = z.output<z.ZodObject<typeof FunctionFields>>;

/** @throws OpenAiRefusal that names `tools` or `tool_choice`. */
export function readFunctions(
  tools: AskedFunction[],
  choice: z.output<typeof ToolChoice> | null | undefined,
  parallel: boolean | null | undefined,
): CallerFunctions | undefined {
  const names = new Set(tools.map(({ name }) => name));
  if (names.size < tools.length) throw refuse("tools", "must have different names");
  const bytes = new TextEncoder().encode(JSON.stringify(tools)).byteLength;
  if (bytes > MAX_FUNCTIONS_KIB * KIB) {
    throw refuse("tools", `must be at most ${MAX_FUNCTIONS_KIB} KiB in total`);
  }
  const { mode, only } = modeOf(choice ?? "auto");
  const unknown = only?.find((name) => !names.has(name));
  if (unknown !== undefined) throw refuse("tool_choice", `names ${unknown}, which is not in tools`);
  if (tools.length === 0) {
    if (mode === "required") throw refuse("tool_choice", "must be auto or none without tools");
    return undefined;
  }
  const functions = tools
    .filter(({ name }) => only === null || only.includes(name))
    .map(({ name, description, parameters }) => ({
      name,
      description: description ?? "",
      parameters: { type: "object", properties: {}, ...parameters },
    }));
  return { functions, choice: mode, parallel: parallel !== false };
}

/** One function that must be called is a choice of which there is one: an agent may search first. */
function modeOf(choice: z.output<typeof ToolChoice>) {
  if (typeof choice === "string") return { mode: choice, only: null };
  if (choice.type === "function") return { mode: "required" as const, only: [choice.name] };
  return { mode: choice.mode, only: choice.tools.map(({ name }) => name) };
}

/** @throws OpenAiRefusal where the model knows no functions, or a search has the same name. */
export function checkFunctions(
  { models }: Pick<Services, "models">,
  runner: Runner,
  callerFunctions: CallerFunctions | undefined,
): void {
  if (callerFunctions === undefined) return;
  const { model, rags } = runner.kind === "agent" ? runner.agent : runner.inference;
  if (!models.chat(model).callsFunctions) {
    throw refuse(
      "tools",
      `must be empty: ${model} is not a language model and cannot call functions`,
    );
  }
  const searches = searchesItself(runner) ? searchToolNames(rags) : [];
  const clash = callerFunctions.functions.find(({ name }) => searches.includes(name));
  if (clash !== undefined)
    throw refuse("tools", `must not contain ${clash.name}: a search tool has this name`);
}

const searchesItself = (runner: Runner) =>
  runner.kind === "agent" ? runner.agent.maxSteps > 1 : !runner.inference.nativeRag;
