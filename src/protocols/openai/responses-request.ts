import { z } from "zod";

import { isObject } from "../../core/is-object.ts";
import type { FunctionCall } from "../../inference/types.ts";
import { parseBody, refuse } from "./errors.ts";
import {
  callOfItem,
  FunctionFields,
  functionsOf,
  FunctionType,
  readFunctions,
  ToolChoice,
} from "./functions.ts";
import { ResponseFormat, schemaOf } from "./response-format.ts";
import { readConversation, SHARED_FIELDS, type ConversationEntry, type Turn } from "./turn.ts";

/*
 * https://platform.openai.com/docs/api-reference/responses/create, without a store: what of a
 * request this service holds. Fields that only tune the model (`top_p`, `reasoning`, `include`, …)
 * are ignored, and the header `X-Ignored-Fields` names them.
 */

const ITEMS_LIMIT = 1_000;
const PARTS_LIMIT = 100;
const METADATA_LIMIT = 16;

/** Fields of our own earlier items; nothing of it is read. */
const OUTPUT_FIELDS = {
  id: z.unknown().optional(),
  status: z.unknown().optional(),
  phase: z.unknown().optional(),
};

const Part = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal(["input_text", "text"]), text: z.string() }),
    z.object({
      type: z.literal("output_text"),
      text: z.string(),
      annotations: z.unknown().optional(),
      logprobs: z.unknown().optional(),
    }),
    z.object({ type: z.literal("refusal"), refusal: z.string() }),
  ],
  "must be input_text: other parts are not supported",
);
const Content = z.union([z.string(), z.array(Part).max(PARTS_LIMIT)]);

const Item = z.discriminatedUnion(
  "type",
  [
    z.object({
      type: z.literal("message"),
      role: z.enum(["system", "developer", "user", "assistant"]),
      content: Content,
      ...OUTPUT_FIELDS,
    }),
    z.object({
      type: z.literal("function_call"),
      call_id: z.string().min(1),
      name: z.string(),
      arguments: z.string(),
      ...OUTPUT_FIELDS,
    }),
    z.object({
      type: z.literal("function_call_output"),
      call_id: z.string(),
      output: Content,
      ...OUTPUT_FIELDS,
    }),
    z.object({ type: z.literal("item_reference"), id: z.string() }),
    // Nothing is read of another model's, where a conversation goes on here.
    z.object({ type: z.literal(["reasoning", "web_search_call", "file_search_call"]) }),
  ],
  "must be message, function_call or function_call_output: other items are not supported",
);

/** Messages may come without their type. */
const AnyItem = z.preprocess(
  (item) => (isObject(item) && item["type"] === undefined ? { ...item, type: "message" } : item),
  Item,
);

const ResponsesFormat = ResponseFormat.extend({
  name: z.string().nullish(),
  description: z.string().nullish(),
  strict: z.boolean().nullish(),
});

const emptyField = (rule: string) => z.null(`must be empty: ${rule}`).optional();
const NOT_STORED = "Quarry stores nothing, send the earlier items in input";

export const ResponsesRequest = z.object({
  ...SHARED_FIELDS,
  input: z.union([z.string(), z.array(AnyItem).min(1, "must not be empty").max(ITEMS_LIMIT)]),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  metadata: z
    .record(z.string().max(64), z.string().max(512))
    .refine(
      (metadata) => Object.keys(metadata).length <= METADATA_LIMIT,
      "must have at most 16 keys",
    )
    .nullish(),
  tools: functionsOf(z.object({ type: FunctionType, ...FunctionFields })),
  tool_choice: ToolChoice.nullish(),
  text: z.object({ format: ResponsesFormat.nullish() }).nullish(),
  store: z.boolean().nullish(),
  background: z
    .literal(false, "must be false: background answers are not supported, use stream")
    .nullish(),
  previous_response_id: emptyField(NOT_STORED),
  conversation: emptyField(NOT_STORED),
  prompt: emptyField("Quarry stores no prompts, send instructions and input"),
});

export type ReadResponse = Turn & { asked: z.output<typeof ResponsesRequest> };

/** @throws OpenAiRefusal that names the parameter. */
export function readResponse(body: unknown): ReadResponse {
  const request = parseBody(ResponsesRequest, body);
  const { input, instructions, text, tools } = request;
  const format = text?.format;
  const isWithoutSchema = format?.type === "json_schema" && (format.schema ?? null) === null;
  if (isWithoutSchema) throw refuse("text.format.schema", "is required");
  const jsonSchema = schemaOf(format, "text.format.schema");
  const field = "instructions";
  const note = { role: "system" as const, param: field, content: field, text: instructions ?? "" };
  return {
    ...readConversation([note, ...conversationIn(input)]),
    model: request.model,
    temperature: request.temperature ?? null,
    maxOutputTokens: request.max_output_tokens ?? null,
    jsonSchema,
    functions: readFunctions(tools ?? [], request.tool_choice, request.parallel_tool_calls),
    cites: request.includeSources !== false && jsonSchema === undefined,
    stream: request.stream === true,
    asked: request,
  };
}

type Input = z.output<typeof ResponsesRequest>["input"];
type SaidItem = Extract<z.output<typeof Item>, { call_id: string } | { role: string }>;

function conversationIn(input: Input): ConversationEntry[] {
  if (typeof input === "string") {
    return [{ param: "input", content: "input", role: "user", text: input }];
  }
  const last = input.findLastIndex((item) => item.type === "message" && item.role === "user");
  const messages = input.flatMap((item, at) => {
    if ("call_id" in item || "role" in item) return [entryOfItem(item, `input[${at}]`)];
    if (item.type !== "item_reference") return [];
    const call = callOfItem(item.id);
    if (call !== undefined) return [entryOfCall(call, `input[${at}]`)];
    // Text with calls since the last question can be missed; an earlier answer cannot.
    if (at > last) return [];
    throw refuse(`input[${at}].type`, NO_REFERENCE);
  });
  if (messages.length === 0) throw refuse("input", "must have a message");
  return messages;
}

const NO_REFERENCE =
  "must not be item_reference: Quarry stores nothing, send the item itself (clients do so with store: false)";

const entryOfCall = (call: FunctionCall, at: string): ConversationEntry => {
  return { param: at, content: at, role: "assistant", text: "", calls: [call] };
};

function entryOfItem(item: SaidItem, at: string): ConversationEntry {
  if (item.type === "function_call") {
    return entryOfCall({ id: item.call_id, name: item.name, arguments: item.arguments }, at);
  }
  if (item.type === "function_call_output") {
    const callField = `${at}.call_id`;
    const text = textOf(item.output);
    return {
      param: at,
      content: `${at}.output`,
      role: "tool",
      text,
      callId: item.call_id,
      callField,
    };
  }
  const message = { param: `${at}.role`, content: `${at}.content`, text: textOf(item.content) };
  if (item.role !== "assistant") return { ...message, role: item.role };
  return { ...message, role: "assistant", calls: [] };
}

function textOf(content: z.output<typeof Content>): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "refusal" ? part.refusal : part.text)).join("\n");
}
