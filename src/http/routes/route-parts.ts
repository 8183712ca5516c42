import { z } from "@hono/zod-openapi";

/** Names of the groups in the published specification. */
export const TAGS = { rags: "RAGs", inferences: "Inferences" };

export const bearer = [{ bearer: [] }];

/** A JSON answer. */
export function json<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example?: unknown,
) {
  const media = example === undefined ? { schema } : { schema, example };
  return { description, content: { "application/json": media } };
}

/** A JSON body; `jsonBody` has read it whatever its Content-Type says. */
export function jsonRequest<Schema extends z.ZodType>(schema: Schema, example?: unknown) {
  const media = example === undefined ? { schema } : { schema, example };
  return { required: true, content: { "application/json": media } };
}

const identifier = (of: string, example: string) =>
  z.string().openapi({ description: `Identifier of the ${of}.`, example });

export const ragParams = z.object({ identifier: identifier("RAG", "sample") });
export const inferenceParams = z.object({ identifier: identifier("inference", "sample") });
export const agentParams = z.object({ identifier: identifier("agent", "sample") });
