import { z } from "@hono/zod-openapi";

import { listIgnoredFields } from "../middleware/ignored-fields.ts";
import { jsonBody } from "../middleware/json-body.ts";
import { headersOf, type HeaderName } from "../schemas/headers.ts";

/** Names of the groups in the specifications; agents and webhooks are not published. */
export const TAGS = {
  rags: "RAGs",
  inferences: "Inferences",
  agents: "Agents",
  webhooks: "Webhooks",
};

export const bearer = [{ bearer: [] }];

/** A JSON answer. */
export function json<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example?: unknown,
  headers: HeaderName[] = [],
) {
  const media = example === undefined ? { schema } : { schema, example };
  const content = { "application/json": media };
  return { description, content, headers: headersOf(headers) };
}

/** A JSON body; `jsonBody` has read it whatever its Content-Type says, and an absent one as {}. */
export function jsonRequest<Schema extends z.ZodType>(schema: Schema, example?: unknown) {
  const media = example === undefined ? { schema } : { schema, example };
  return { required: !schema.safeParse({}).success, content: { "application/json": media } };
}

/** The middleware that stands before a JSON body's validation. */
export const checkJson = (schema: z.ZodType) => [jsonBody(), listIgnoredFields(schema)] as const;

const identifier = (noun: string, example: string) =>
  z.string().openapi({ description: `Identifier of the ${noun}.`, example });

export const ragParams = z.object({ identifier: identifier("RAG", "sample") });
export const inferenceParams = z.object({ identifier: identifier("inference", "sample") });
export const agentParams = z.object({ identifier: identifier("agent", "sample") });
