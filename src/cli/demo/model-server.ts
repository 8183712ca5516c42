import { limitedFetch } from "../../adapters/limited-answer.ts";
import { openAiEmbedding } from "../../adapters/openai/openai-embedding.ts";
import { serverFetch, stateOf } from "../../adapters/openai/server-state.ts";
import { variables } from "../../config.ts";
import { messageOf } from "../../core/errors.ts";
import type { KeyedServer } from "../../core/models/model-servers.ts";
import { codeOf, CommandFailure } from "../failure.ts";

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
  // Its port until October 2026, the one since, and the one where docs/models.md puts an embedder.
  { program: "llama.cpp", port: 8080 },
  { program: "llama.cpp", port: 9931 },
  { program: "llama.cpp", port: 8081 },
  { program: "vLLM", port: 8000 },
];

const LISTS_WITHIN_MS = 10_000;
/** Loading a model for the first time is slow. */
const EMBEDS_WITHIN_MS = 60_000;
/** For all places together, Node's own first call included. Where nothing listens, it says so at once. */
const FOUND_WITHIN_MS = 2_000;
const MAX_REPLY_BYTES = 1 << 20;

const ADVICE =
  "Check that the server runs and that OPENAI_COMPATIBLE_BASE_URL ends in /v1. To skip this check, set CHAT_MODEL, EMBEDDING_MODEL and EMBEDDING_DIMENSIONS.";

const limited = limitedFetch(fetch, MAX_REPLY_BYTES);

/** Names with the server's prefix. Servers other than `local` may list none, as TEI does. @throws CommandFailure */
export async function modelsOf(server: KeyedServer): Promise<string[]> {
  const signal = AbortSignal.timeout(LISTS_WITHIN_MS);
  const { problem, models } = await stateOf(server, limited, signal);
  if (problem !== null && server.name === "local") {
    throw new CommandFailure(`${server.baseUrl}/models ${problem}. ${ADVICE}`);
  }
  return models.map(({ model }) => model);
}

/** No key goes to a server that was only found, and no redirect of it is followed. */
export const serverAt = (baseUrl: string): KeyedServer => {
  return { name: "local", baseUrl, apiKey: undefined, setBy: "panel" };
};

/** A server at a usual place. */
export type FoundServer = Awaited<ReturnType<typeof findServers>>[number];

/** Asks all places at once which models they serve, and leaves out those where nothing listens. */
export async function findServers(places: ModelPlace[]) {
  const signal = AbortSignal.timeout(FOUND_WITHIN_MS);
  const servers = await Promise.all(
    places.map(async (place) => {
      let isThere = true;
      const send: typeof fetch = (...args) =>
        limited(...args).catch((thrown: unknown) => {
          isThere = codeOf(thrown) !== "ECONNREFUSED";
          throw thrown;
        });
      const baseUrl = `http://127.0.0.1:${place.port}/v1`;
      const { problem, models } = await stateOf(serverAt(baseUrl), send, signal);
      const names = models.map(({ model }) => model);
      return isThere ? [{ ...place, baseUrl, problem, names }] : [];
    }),
  );
  return servers.flat();
}

/** The number of dimensions, measured on one vector. @throws CommandFailure */
export async function dimensionsOf(server: KeyedServer, model: string): Promise<number> {
  const abortSignal = AbortSignal.timeout(EMBEDS_WITHIN_MS);
  const endpoint = { ...server, fetch: serverFetch(server, limited) };
  const values = ["How long is a vector?"];
  const embed = async () =>
    await openAiEmbedding(endpoint, model, 1).doEmbed({ values, abortSignal });
  const { embeddings } = await embed().catch((thrown: unknown) => {
    const why = `could not embed with ${model} (${messageOf(thrown)})`;
    throw new CommandFailure(`${server.baseUrl} ${why}. ${ADVICE}`);
  });
  const dimensions = embeddings[0]?.length ?? 0;
  const { success, error } = variables.shape.EMBEDDING_DIMENSIONS.safeParse(dimensions);
  if (success) return dimensions;
  throw new CommandFailure(
    `${model} makes vectors of ${dimensions} dimensions; the number ${error.issues[0]?.message ?? ""}. Set EMBEDDING_MODEL to another model.`,
  );
}
