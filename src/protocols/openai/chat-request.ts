import { z } from "zod";

import type { EarlierMessage } from "../../inference/types.ts";
import { readResponseSchema } from "../../inference/response-schema.ts";
import { parseBody, refuse } from "./errors.ts";

/*
 * https://platform.openai.com/docs/api-reference/chat/create: what of a request this service
 * holds. Fields that only tune the sampling (`top_p`, `seed`, `stop`, …) are ignored, and the
 * header `X-Ignored-Fields` names them.
 */

const MESSAGES_LIMIT = 500;
const PARTS_LIMIT = 100;
const TEMPERATURE_LIMIT = 2;
export const MODEL_MAX_LENGTH = 200;

const TextPart = z.discriminatedUnion(
  "type",
  [z.object({ type: z.literal("text"), text: z.string() })],
  "must be text: other parts are not read",
);
const Content = z.union([z.string(), z.array(TextPart).max(PARTS_LIMIT)]);

const ROLES = ["system", "developer", "user", "assistant"] as const;

const Message = z.object({
  role: z.enum(ROLES, `must be one of ${ROLES.join(", ")}: tools of the caller are not run`),
  content: Content.nullish(),
  name: z.string().optional(),
});

const ResponseFormat = z.object({
  type: z.enum(["text", "json_object", "json_schema"]),
  json_schema: z.object({ schema: z.record(z.string(), z.unknown()).optional() }).optional(),
});

const none = (what: string) => z.array(z.unknown()).max(0, `must be empty: ${what}`).nullish();

export const ChatRequest = z.object({
  model: z.string().max(MODEL_MAX_LENGTH),
  messages: z.array(Message).min(1).max(MESSAGES_LIMIT),
  temperature: z.number().min(0).max(TEMPERATURE_LIMIT).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  n: z.literal(1, "must be 1: one answer is made").nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
  response_format: ResponseFormat.nullish(),
  tools: none("tools of the caller are not run"),
  tool_choice: z.unknown().optional(),
  functions: none("tools of the caller are not run"),
  // Not of OpenAI's API: the name that it has in ours.
  includeSources: z.boolean().nullish(),
});

/** A chat request in the terms of this service. */
export type ReadChat = {
  model: string;
  /** The last message. */
  prompt: string;
  /** Earlier turns, oldest first. */
  messages: EarlierMessage[];
  /** System and developer messages; empty for none. */
  systemNote: string;
  temperature: number | null;
  maxOutputTokens: number | null;
  /** As `jsonSchema` of an inference; undefined: plain text. */
  jsonSchema: string | undefined;
  /** Whether the answer has annotations. */
  cites: boolean;
  stream: boolean;
  includeUsage: boolean;
};

/** @throws OpenAiRefusal that names the parameter. */
export function readChat(body: unknown): ReadChat {
  const asked = parseBody(ChatRequest, body);
  checkStreamOptions(asked);
  const turns = asked.messages.map(({ role, content }, at) => ({
    role,
    content: textOf(content, at),
  }));
  const last = turns.at(-1);
  const at = turns.length - 1;
  if (last?.role !== "user") throw refuse(`messages[${at}].role`, "must be user: it is answered");
  if (last.content.trim() === "") throw refuse(`messages[${at}].content`, "must not be blank");
  const jsonSchema = schemaOf(asked.response_format);
  const limits = [asked.max_tokens, asked.max_completion_tokens].filter((one) => one != null);
  return {
    model: asked.model,
    prompt: last.content,
    messages: turns.slice(0, -1).flatMap(({ role, content }): EarlierMessage[] =>
      // Some providers refuse an empty message; an assistant's turn of tool calls alone is one.
      (role === "user" || role === "assistant") && content !== "" ? [{ role, content }] : [],
    ),
    systemNote: turns
      .filter(({ role }) => role === "system" || role === "developer")
      .map(({ content }) => content)
      .join("\n\n"),
    temperature: asked.temperature ?? null,
    maxOutputTokens: limits.length === 0 ? null : Math.min(...limits),
    jsonSchema,
    // Structured output is the caller's own: what it says of citations is none of ours.
    cites: asked.includeSources === true && jsonSchema === undefined,
    stream: asked.stream === true,
    includeUsage: asked.stream_options?.include_usage === true,
  };
}

/** As OpenAI refuses it. */
function checkStreamOptions({ stream, stream_options: options }: z.output<typeof ChatRequest>) {
  const isWithout = stream !== true && (options ?? null) !== null;
  if (isWithout) throw refuse("stream_options", "is allowed only with stream: true");
}

type Parsed = z.output<typeof ChatRequest>;

function textOf(content: Parsed["messages"][number]["content"], at: number): string {
  if (content === null || content === undefined) return "";
  const text = typeof content === "string" ? content : content.map((part) => part.text).join("\n");
  if (text.isWellFormed()) return text;
  throw refuse(`messages[${at}].content`, "must be well-formed Unicode");
}

const SCHEMA_PARAM = "response_format.json_schema.schema";
/** Any object: what `json_object` asks for. */
const ANY_OBJECT = JSON.stringify({ type: "object" });

function schemaOf(format: Parsed["response_format"]): string | undefined {
  if (format === null || format === undefined || format.type === "text") return undefined;
  if (format.type === "json_object") return ANY_OBJECT;
  if (format.json_schema === undefined) throw refuse("response_format.json_schema", "is required");
  const { schema: asked } = format.json_schema;
  if (asked === undefined) return ANY_OBJECT;
  const schema = JSON.stringify(asked);
  const read = readResponseSchema(schema);
  if (!read.ok) throw refuse(SCHEMA_PARAM, read.reason);
  return schema;
}
