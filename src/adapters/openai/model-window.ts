import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import { HOUR_MS, MINUTE_MS } from "../../core/time.ts";

/** A prompt waits for all that is read; servers answer from memory. */
const READ_TIMEOUT_MS = 2_000;
/** Ollama gives a model this window on a small machine (https://docs.ollama.com/context-length). */
const OLLAMA_TOKENS = 4_096;
/**
 * Lists with windows beside `/v1/models`: Ollama's loaded models (https://docs.ollama.com/api/ps),
 * LM Studio's (https://lmstudio.ai/docs/developer/rest/endpoints), LiteLLM's
 * (https://docs.litellm.ai/docs/proxy/model_management).
 */
const OWN_LISTS = ["/api/ps", "/api/v0/models", "/model/info"];

type Server = { baseUrl: string; fetch: typeof globalThis.fetch };

/** Tokens of prompt and answer; null: the server does not say. By server and model. */
const windows = new Map<string, { tokens: number | null; until: number }>();
const keyOf = (baseUrl: string, model: string) => `${baseUrl} ${model}`;

export const windowOf = (baseUrl: string, model: string) => windows.get(keyOf(baseUrl, model));

export function learnWindow(baseUrl: string, model: string, tokens: number): number {
  windows.set(keyOf(baseUrl, model), { tokens, until: Date.now() + HOUR_MS });
  return tokens;
}

const isRecent = (window = { until: 0 }) => window.until > Date.now();

/**
 * Requests a model's window from a server, unless it did so a moment ago. Resolves to what the
 * server says; null: it was not asked, or does not say.
 */
export async function readWindow({ baseUrl, fetch }: Server, model: string, isAgain = false) {
  const key = keyOf(baseUrl, model);
  const earlier = windows.get(key);
  if (!isAgain && isRecent(earlier)) return null;
  // Other prompts do not wait for what is read again.
  if (earlier !== undefined) earlier.until = Date.now() + READ_TIMEOUT_MS;
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  const server = { baseUrl, fetch, signal };
  const list = await readJson(server, "/models");
  const assumeWindow = (tokens: number | null) => {
    windows.set(key, { tokens, until: Date.now() + MINUTE_MS });
    return null;
  };
  if (list === undefined) return assumeWindow(earlier?.tokens ?? null);
  const window = windowIn([list], model);
  if (window !== null) return learnWindow(baseUrl, model, window);
  const [settings, ...lists] = await Promise.all([
    // Also describes a model that is not loaded, https://docs.ollama.com/api/show
    readJson(server, "/../api/show", { method: "POST", body: JSON.stringify({ model }) }),
    ...readOwnLists(server),
  ]);
  const ownWindow = windowIn(lists, model) ?? numCtxIn(settings);
  if (ownWindow > 0) return learnWindow(baseUrl, model, ownWindow);
  return assumeWindow(isOllamaReply(settings) ? OLLAMA_TOKENS : null);
}

type Reading = Server & { signal: AbortSignal };

/** Also where `baseUrl` only stands for an address. */
export const readOwnLists = (server: Reading) =>
  OWN_LISTS.map((path) => readJson(server, `/..${path}`));

async function readJson({ baseUrl, fetch, signal }: Reading, path: string, init?: RequestInit) {
  const text = fetch(`${baseUrl}${path}`, { ...init, signal }).then((response) => response.text());
  return parseJson(await text.catch(() => ""));
}

const isOllamaReply = (settings: unknown): settings is Record<string, unknown> =>
  isObject(settings) && isObject(settings["details"]);
function numCtxIn(settings: unknown): number {
  if (!isOllamaReply(settings)) return 0;
  return Number(/^num_ctx\s+(\d+)$/m.exec(String(settings["parameters"]))?.[1] ?? 0);
}

/** llama-server: `meta.n_ctx`, vLLM: `max_model_len`, LiteLLM: `model_info`, others by their names. */
export function windowIn(lists: unknown[], model: string): number | null {
  const listings = lists.flatMap((body) => {
    const list = isObject(body) ? (body["data"] ?? body["models"]) : body;
    return Array.isArray(list) ? list.filter(isObject) : [];
  });
  const windows = listings
    .filter(({ id, name, model_name: alias }) =>
      [id, name, alias].some((own) => [model, `${model}:latest`].includes(String(own))),
    )
    .flatMap((entry) => {
      const { meta, model_info: info } = entry;
      const facts = { ...entry, ...(isObject(meta) && meta), ...(isObject(info) && info) };
      return NAMES.map((name) => Number(facts[name])).find((tokens) => tokens > 0) ?? [];
    });
  // LiteLLM spreads a name's calls over all models that have it.
  return windows.length === 0 ? null : Math.min(...windows);
}
const NAMES = [
  "n_ctx",
  "max_model_len",
  "loaded_context_length",
  "context_length",
  "max_input_tokens",
  "max_tokens",
];
