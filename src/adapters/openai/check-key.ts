import type { Config } from "../../config.ts";
import { SECOND_MS } from "../../core/time.ts";
import { GATEWAY_PROVIDERS, type ProviderKeyName } from "../../ports/models.ts";
import { gatewayUrl } from "./ai-gateway.ts";
import { bearer, keyedFetch, type Given } from "./keyed-fetch.ts";

/** Whoever saved a key waits for the answer. */
const CHECK_TIMEOUT_MS = 8 * SECOND_MS;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const FIRST_SERVER_ERROR = 500;

/** What is wrong with a key, as a clause, or null. Asking for an unknown model costs nothing. */
export async function problemWithKey(
  config: Config,
  fetch: typeof globalThis.fetch | undefined,
  { name, key }: { name: ProviderKeyName; key: string },
): Promise<string | null> {
  const request = requestFor(config, name, key);
  if (typeof request === "string") return request;
  const { url, headers, body } = request;
  try {
    const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const { status, body: answer } = await keyedFetch(fetch, () => Promise.resolve(headers))(url, {
      ...post,
      signal,
    });
    await answer?.cancel();
    return problemOf(status, name);
  } catch {
    return "the provider did not answer within 8 seconds";
  }
}

function problemOf(status: number, name: ProviderKeyName): string | null {
  if (status === UNAUTHORIZED || status === FORBIDDEN) return `the provider refuses it (${status})`;
  if (status >= FIRST_SERVER_ERROR) return `the provider failed (${status}): try again later`;
  if (name === "local" && status === NOT_FOUND) {
    return "the server lists no models: OPENAI_COMPATIBLE_BASE_URL must end in /v1";
  }
  return null;
}

type KeyRequest = { url: string; headers: Given; body?: object };

/** Or the setting that is missing. */
function requestFor(config: Config, name: ProviderKeyName, key: string): KeyRequest | string {
  if (name === "local") {
    const base = config.OPENAI_COMPATIBLE_BASE_URL;
    if (base === undefined) return "OPENAI_COMPATIBLE_BASE_URL must name the server first";
    return { url: `${base}/models`, headers: { Authorization: bearer(key) } };
  }
  const base = gatewayUrl(config);
  if (base === null) return "AI_GATEWAY_ACCOUNT_ID and AI_GATEWAY_ID must name the gateway first";
  const headers = {
    "Content-Type": "application/json",
    "cf-aig-authorization": bearer(name === "gateway" ? key : config.AI_GATEWAY_TOKEN),
    Authorization: name === "gateway" ? undefined : bearer(key),
  };
  const provider = name === "gateway" ? GATEWAY_PROVIDERS[0] : name;
  const messages = [{ role: "user", content: "." }];
  const body = { model: `${provider}/quarry-checks-a-key`, messages, max_tokens: 1 };
  return { url: `${base}/compat/chat/completions`, headers, body };
}
