import { readLimited } from "../../core/read-limited.ts";
import { modelList } from "./discover-models.ts";

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

/** A server that lists its models; `baseUrl` ends in /v1. */
export type LocalServer = { program: string; baseUrl: string; models: string[] };

/** `unusable`: what listens at a usual place and does not list models, and why. */
export type FoundServers = { servers: LocalServer[]; unusable: string[] };

/** For all places together, so that a start waits half a second at most. */
const ANSWER_WITHIN_MS = 500;
const LIST_BYTES = 1 << 20;

/** Asks all places at once which models they serve. No key is sent. Never throws. */
export async function findLocalServers(places: ModelPlace[]): Promise<FoundServers> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const found = await Promise.all(places.map((place) => lookAt(place, signal)));
  return {
    servers: found.flatMap((one) => (one !== null && "models" in one ? [one] : [])),
    unusable: found.flatMap((one) => (one !== null && "unusable" in one ? [one.unusable] : [])),
  };
}

/** Null where nothing listens. */
async function lookAt(
  { program, port }: ModelPlace,
  signal: AbortSignal,
): Promise<LocalServer | { unusable: string } | null> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const because = (why: string) => ({ unusable: `${baseUrl} (port of ${program}) ${why}` });
  try {
    const response = await fetch(`${baseUrl}/models`, { signal, redirect: "error" });
    const bytes = await readLimited(response.body ?? new ArrayBuffer(0), LIST_BYTES);
    if (!response.ok) return because(`answers ${response.status}`);
    const list = modelList.safeParse(parsedOrNull(bytes));
    if (!list.success) return because("does not list models");
    return { program, baseUrl, models: (list.data.data ?? []).map(({ id }) => id) };
  } catch (thrown) {
    if (signal.aborted) return because(`does not answer within ${ANSWER_WITHIN_MS} ms`);
    return isRefusal(thrown) ? null : because("breaks off its answer");
  }
}

/** Whether nothing listens at the port. */
function isRefusal(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}

function parsedOrNull(bytes: Uint8Array | null): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array()));
  } catch {
    return null;
  }
}
