import { parsedJson } from "../../core/input/parsed-json.ts";
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

/** Tokens of prompt and answer, and whether the server says so itself. By server and model. */
type Window = { tokens: number | null; until: number; isFromServer?: boolean };
const windows = new Map<string, Window>();
const keyOf = (baseUrl: string, model: string) => `${baseUrl} ${model}`;

export const windowOf = (baseUrl: string, model: string) => windows.get(keyOf(baseUrl, model));

export const learnWindow = (baseUrl: string, model: string, tokens: number) =>
  void windows.set(keyOf(baseUrl, model), { tokens, until: Date.now() + HOUR_MS });

/**
 * Asks a server for a model's window, unless it was asked for a moment ago. Null: it does not say,
 * and what `windowOf` gives is learned or assumed.
 */
export async function readWindow(server: Server, model: string, isAgain = false) {
  const { until = 0 } = windowOf(server.baseUrl, model) ?? {};
  if (isAgain || until <= Date.now()) await askForWindow(server, model);
  const { tokens = null, isFromServer = false } = windowOf(server.baseUrl, model) ?? {};
  return isFromServer ? tokens : null;
}

async function askForWindow({ baseUrl, fetch }: Server, model: string): Promise<void> {
  const key = keyOf(baseUrl, model);
  const earlier = windows.get(key);
  // Other prompts do not wait for what is read again.
  if (earlier !== undefined) earlier.until = Date.now() + READ_TIMEOUT_MS;
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  // Also where `baseUrl` only stands for an address.
  const root = `${baseUrl}/..`;
  const readJson = async (url: string, init: RequestInit = {}): Promise<unknown> => {
    const text = fetch(url, { ...init, signal }).then((response) => response.text());
    return parsedJson(await text.catch(() => ""));
  };
  const list = await readJson(`${baseUrl}/models`);
  const assume = (tokens: number | null) =>
    void windows.set(key, { tokens, until: Date.now() + MINUTE_MS });
  if (list === undefined) return assume(earlier?.tokens ?? null);
  const window = windowIn(list, model) ?? 0;
  const learn = (tokens: number) =>
    void windows.set(key, { tokens, until: Date.now() + HOUR_MS, isFromServer: true });
  if (window > 0) return learn(window);
  const [settings, ...lists] = await Promise.all([
    // Also describes a model that is not loaded, https://docs.ollama.com/api/show
    readJson(`${root}/api/show`, { method: "POST", body: JSON.stringify({ model }) }),
    ...OWN_LISTS.map((path) => readJson(`${root}${path}`)),
  ]);
  const [ownWindow = numCtxIn(settings)] = lists.flatMap((own) => windowIn(own, model) ?? []);
  if (ownWindow > 0) return learn(ownWindow);
  assume(isOllamas(settings) ? OLLAMA_TOKENS : null);
}

const isOllamas = (settings: unknown): settings is Record<string, unknown> =>
  isObject(settings) && isObject(settings["details"]);
function numCtxIn(settings: unknown): number {
  if (!isOllamas(settings)) return 0;
  return Number(/^num_ctx\s+(\d+)$/m.exec(String(settings["parameters"]))?.[1] ?? 0);
}

/** llama-server: `meta.n_ctx`, vLLM: `max_model_len`, LiteLLM: `model_info`, others by their names. */
export function windowIn(body: unknown, model: string): number | null {
  const list = isObject(body) ? (body["data"] ?? body["models"]) : null;
  const entry = (Array.isArray(list) ? list.filter(isObject) : []).find((listing) =>
    [listing["id"], listing["name"], listing["model_name"]].some((name) =>
      [model, `${model}:latest`].includes(String(name)),
    ),
  );
  const { meta, model_info: info } = entry ?? {};
  const facts = { ...entry, ...(isObject(meta) && meta), ...(isObject(info) && info) };
  return NAMES.map((name) => Number(facts[name])).find((tokens) => tokens > 0) ?? null;
}
const NAMES = [
  "n_ctx",
  "max_model_len",
  "loaded_context_length",
  "context_length",
  "max_input_tokens",
  "max_tokens",
];
