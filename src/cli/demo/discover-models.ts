import { z } from "zod";

import { variables } from "../../config.ts";
import { CommandFailure } from "../failure.ts";
import { chooseModels } from "./choose-models.ts";
import type { ServedModels } from "./choose-models.ts";

export type ModelServer = { baseUrl: string; apiKey: string | undefined };

const LISTS = { body: null, withinMs: 10_000 };
/** Loading a model for the first time is slow. */
const EMBEDS_WITHIN_MS = 60_000;

/** A server without models may send null. */
export const modelList = z.object({
  data: z.array(z.object({ id: z.string().min(1) })).nullable(),
});
const embedded = z.object({ data: z.array(z.object({ embedding: z.array(z.number()) })).min(1) });

/**
 * A chat model and an embedding model that the server lists; `madeWith` is the embedding model of
 * the existing index.
 * https://platform.openai.com/docs/api-reference/models/list
 * @throws CommandFailure when the server does not answer
 */
export async function discoverModels(
  server: ModelServer,
  madeWith: string | null,
): Promise<ServedModels> {
  const { data } = await ask(server, "/models", LISTS, modelList);
  return chooseModels(
    (data ?? []).map(({ id }) => id),
    madeWith,
  );
}

/** The number of dimensions, measured on one vector. @throws CommandFailure */
export async function dimensionsOf(
  server: ModelServer,
  model: string,
  withinMs = EMBEDS_WITHIN_MS,
): Promise<number> {
  const request = { model, input: ["How long is a vector?"], encoding_format: "float" };
  const { data } = await ask(server, "/embeddings", { body: request, withinMs }, embedded);
  const dimensions = data[0]?.embedding.length ?? 0;
  const { success, error } = variables.shape.EMBEDDING_DIMENSIONS.safeParse(dimensions);
  if (success) return dimensions;
  throw new CommandFailure(
    `${model} makes vectors of ${dimensions} dimensions; the number ${error.issues[0]?.message ?? ""}. Set EMBEDDING_MODEL to another model.`,
  );
}

/** A null body: GET. */
async function ask<Reply>(
  { baseUrl, apiKey }: ModelServer,
  path: string,
  { body, withinMs }: { body: object | null; withinMs: number },
  form: z.ZodType<Reply>,
): Promise<Reply> {
  const address = `${baseUrl.replace(/\/+$/, "")}${path}`;
  const failed = (why: string) =>
    new CommandFailure(
      `${address} ${why}. Check that the server runs and that OPENAI_COMPATIBLE_BASE_URL ends in /v1. To skip this check, set CHAT_MODEL, EMBEDDING_MODEL and EMBEDDING_DIMENSIONS.`,
    );
  const response = await fetch(address, {
    method: body === null ? "GET" : "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: body === null ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(withinMs),
  }).catch(() => {
    throw failed("does not answer");
  });
  if (!response.ok) throw failed(`answers ${response.status}`);
  const read = form.safeParse(await response.json().catch(() => null));
  if (!read.success) throw failed("answers in a form that is not OpenAI's");
  return read.data;
}
