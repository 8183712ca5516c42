import { z } from "zod";

import { variables } from "../../config.ts";
import { parsedJson } from "../../core/input/parsed-json.ts";
import { readLimited } from "../../core/read-limited.ts";
import { codeOf, CommandFailure } from "../failure.ts";

/** An OpenAI-compatible server; `baseUrl` ends in /v1. No key goes to one that was only found. */
export type ModelServer = { baseUrl: string; apiKey?: string | undefined };

/** A program that serves models, and the loopback port where it listens unless told otherwise. */
export type ModelPlace = { program: string; port: number };

/**
 * https://docs.ollama.com/api/openai-compatibility, https://lmstudio.ai/docs/developer/openai-compat,
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md,
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server/
 */
export const USUAL_PLACES: ModelPlace[] = [
  { program: "Ollama", port: 11_434 },
  { program: "LM Studio", port: 1234 },
  { program: "llama.cpp", port: 8080 },
  { program: "vLLM", port: 8000 },
];

const LISTS_WITHIN_MS = 10_000;
/** Loading a model for the first time is slow. */
const EMBEDS_WITHIN_MS = 60_000;
/** For all places together, so that a start waits half a second at most. */
const FOUND_WITHIN_MS = 500;
const MAX_REPLY_BYTES = 1 << 20;

/** A server without models may send null. */
const modelList = z.object({
  data: z.array(z.object({ id: z.string().min(1) })).nullable(),
});
const embedded = z.object({ data: z.array(z.object({ embedding: z.array(z.number()) })).min(1) });

/** The names of a server's models. @throws CommandFailure when it does not list any */
export async function modelsOf(
  server: ModelServer,
  signal = AbortSignal.timeout(LISTS_WITHIN_MS),
): Promise<string[]> {
  const { data } = await ask(server, "/models", null, signal, modelList);
  return (data ?? []).map(({ id }) => id);
}

/** What listens at a usual place: its models, or why it cannot be used. */
export type FoundServer = ModelPlace & { baseUrl: string } & (
    | { models: string[] }
    | { why: string }
  );

/** Asks all places at once which models they serve, and leaves out those where nothing listens. */
export async function findServers(places: ModelPlace[]): Promise<FoundServer[]> {
  const signal = AbortSignal.timeout(FOUND_WITHIN_MS);
  const found = await Promise.all(
    places.map(async (place): Promise<FoundServer[]> => {
      const baseUrl = `http://127.0.0.1:${place.port}/v1`;
      try {
        return [{ ...place, baseUrl, models: await modelsOf({ baseUrl }, signal) }];
      } catch (thrown) {
        if (!(thrown instanceof NoModels)) throw thrown;
        return thrown.isAbsent ? [] : [{ ...place, baseUrl, why: thrown.why }];
      }
    }),
  );
  return found.flat();
}

/** The number of dimensions, measured on one vector. @throws CommandFailure */
export async function dimensionsOf(server: ModelServer, model: string): Promise<number> {
  const body = { model, input: ["How long is a vector?"], encoding_format: "float" };
  const signal = AbortSignal.timeout(EMBEDS_WITHIN_MS);
  const { data } = await ask(server, "/embeddings", body, signal, embedded);
  const dimensions = data[0]?.embedding.length ?? 0;
  const { success, error } = variables.shape.EMBEDDING_DIMENSIONS.safeParse(dimensions);
  if (success) return dimensions;
  throw new CommandFailure(
    `${model} makes vectors of ${dimensions} dimensions; the number ${error.issues[0]?.message ?? ""}. Set EMBEDDING_MODEL to another model.`,
  );
}

class NoModels extends CommandFailure {
  readonly why: string;
  readonly isAbsent: boolean;

  constructor(address: string, why: string, isAbsent: boolean) {
    super(
      `${address} ${why}. Check that the server runs and that OPENAI_COMPATIBLE_BASE_URL ends in /v1. To skip this check, set CHAT_MODEL, EMBEDDING_MODEL and EMBEDDING_DIMENSIONS.`,
    );
    this.why = why;
    this.isAbsent = isAbsent;
  }
}

/** A null body: GET. */
async function ask<Reply>(
  { baseUrl, apiKey }: ModelServer,
  path: string,
  body: object | null,
  signal: AbortSignal,
  form: z.ZodType<Reply>,
): Promise<Reply> {
  const address = `${baseUrl.replace(/\/+$/, "")}${path}`;
  const failed = (why: string, isAbsent = false) => new NoModels(address, why, isAbsent);
  const key = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const sent = fetch(address, {
    method: body === null ? "GET" : "POST",
    headers: { "content-type": "application/json", ...key },
    body: body === null ? null : JSON.stringify(body),
    redirect: "error",
    signal,
  });
  const answered = sent.then(async ({ status, body: stream }) => {
    return { status, bytes: await readLimited(stream ?? new ArrayBuffer(0), MAX_REPLY_BYTES) };
  });
  const { status, bytes } = await answered.catch((thrown: unknown) => {
    // Nothing listens at the port.
    throw failed("does not answer", codeOf(thrown) === "ECONNREFUSED");
  });
  if (status >= 300) throw failed(`answers ${status}`);
  const read = form.safeParse(parsedJson(new TextDecoder().decode(bytes ?? undefined)));
  if (!read.success) throw failed("does not answer in OpenAI's format");
  return read.data;
}
