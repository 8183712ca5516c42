import { z } from "zod";

import { parseBody, refuse } from "./errors.ts";
import {
  CHOICES,
  FunctionFields,
  FunctionName,
  functionsOf,
  FunctionType,
  MODES,
  readFunctions,
} from "./functions.ts";
import { ResponseFormat, schemaOf } from "./response-format.ts";
import { readConversation, SHARED_FIELDS, type ConversationEntry, type Turn } from "./turn.ts";

/*
 * https://platform.openai.com/docs/api-reference/chat/create: what of a request this service
 * holds. Fields that only tune the sampling (`top_p`, `seed`, `stop`, …) are ignored, and the
 * header `X-Ignored-Fields` names them.
 */

const MESSAGES_LIMIT = 500;
const PARTS_LIMIT = 100;

const TextPart = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("refusal"), refusal: z.string() }),
  ],
  "must be text: other parts are not supported",
);
const Content = z.union([z.string(), z.array(TextPart).max(PARTS_LIMIT)]).nullish();

const Call = z.object({
  id: z.string().min(1),
  type: FunctionType,
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const Message = z.discriminatedUnion(
  "role",
  [
    z.object({
      role: z.enum(["system", "developer", "user"]),
      content: Content,
      name: z.string().nullish(),
    }),
    z.object({
      role: z.literal("assistant"),
      content: Content,
      name: z.string().nullish(),
      tool_calls: z.array(Call).nullish(),
    }),
    z.object({ role: z.literal("tool"), content: Content, tool_call_id: z.string() }),
  ],
  "must be system, developer, user, assistant or tool",
);

const ChatFormat = ResponseFormat.extend({
  json_schema: z.object({ schema: ResponseFormat.shape.schema }).nullish(),
});

const Function = z.object({ type: FunctionType, function: z.object(FunctionFields) });
const Named = z
  .object({ type: FunctionType, function: z.object({ name: FunctionName }) })
  .transform(({ type, function: { name } }) => ({ type, name }));
const ChatToolChoice = z.union([
  CHOICES,
  Named,
  z
    .object({
      type: z.literal("allowed_tools"),
      allowed_tools: z.object({ mode: MODES, tools: z.array(Named) }),
    })
    .transform(({ type, allowed_tools: { mode, tools } }) => ({ type, mode, tools })),
]);

export const ChatRequest = z.object({
  ...SHARED_FIELDS,
  messages: z.array(Message).min(1).max(MESSAGES_LIMIT),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  n: z.literal(1, "must be 1: Quarry returns one answer").nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  response_format: ChatFormat.nullish(),
  tools: functionsOf(Function),
  tool_choice: ChatToolChoice.nullish(),
  functions: z.array(z.unknown()).max(0, "must be empty: use tools").nullish(),
});

type ParsedChat = z.output<typeof ChatRequest>;

export type ReadChat = Turn & { includeUsage: boolean };

/** @throws OpenAiRefusal that names the parameter. */
export function readChat(body: unknown): ReadChat {
  const request = parseBody(ChatRequest, body);
  checkStreamOptions(request);
  const limits = [request.max_tokens, request.max_completion_tokens].filter(
    (limit) => limit != null,
  );
  const jsonSchema = chatSchemaOf(request.response_format);
  const tools = (request.tools ?? []).map((tool) => tool.function);
  return {
    ...readConversation(request.messages.map(entryOf)),
    model: request.model,
    temperature: request.temperature ?? null,
    maxOutputTokens: limits.length === 0 ? null : Math.min(...limits),
    jsonSchema,
    functions: readFunctions(tools, request.tool_choice, request.parallel_tool_calls),
    // Structured output is the caller's own: what it says of citations is none of ours.
    cites: request.includeSources === true && jsonSchema === undefined,
    stream: request.stream === true,
    includeUsage: request.stream_options?.include_usage === true,
  };
}

/** As OpenAI refuses it. */
function checkStreamOptions({ stream, stream_options: options }: ParsedChat) {
  const isWithout = stream !== true && (options ?? null) !== null;
  if (isWithout) throw refuse("stream_options", "is allowed only with stream: true");
}

function entryOf(message: ParsedChat["messages"][number], at: number): ConversationEntry {
  const param = `messages[${at}]`;
  const where = {
    param: `${param}.role`,
    content: `${param}.content`,
    text: textOf(message.content),
  };
  if (message.role === "tool") {
    const callField = `${param}.tool_call_id`;
    return { ...where, role: "tool", callId: message.tool_call_id, callField };
  }
  if (message.role !== "assistant") return { ...where, role: message.role };
  const calls = (message.tool_calls ?? []).map(({ id, function: called }) => {
    return { id, name: called.name, arguments: called.arguments };
  });
  return { ...where, role: "assistant", calls };
}

const textOf = (content: z.output<typeof Content>) =>
  typeof content === "string"
    ? content
    : (content ?? []).map((part) => ("text" in part ? part.text : part.refusal)).join("\n");

function chatSchemaOf(format: ParsedChat["response_format"]): string | undefined {
  if (format?.type !== "json_schema") return schemaOf(format, "response_format.schema");
  const { json_schema: schema } = format;
  if (schema === null || schema === undefined) {
    throw refuse("response_format.json_schema", "is required");
  }
  return schemaOf({ ...format, ...schema }, "response_format.json_schema.schema");
}
