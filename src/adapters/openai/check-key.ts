import type { Config } from "../../config.ts";
import { SECOND_MS } from "../../core/time.ts";
import { GATEWAY_PROVIDERS, ModelFailure, type ProviderKeyName } from "../../ports/models.ts";
import { gateway, gatewayUrl } from "./ai-gateway.ts";
import { serverVerbs } from "./local.ts";

/** Whoever saved a key waits for the answer. */
const CHECK_TIMEOUT_MS = 8 * SECOND_MS;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const FIRST_SERVER_ERROR = 500;
const UNKNOWN_MODEL = "quarry-checks-a-key";
const PROMPT = [{ role: "user" as const, content: [{ type: "text" as const, text: "." }] }];

/**
 * Says what is wrong with a key, as a clause, or null. Asking for an unknown model costs nothing.
 */
export async function problemWithKey(
  config: Config,
  fetch: typeof globalThis.fetch | undefined,
  { name, key }: { name: ProviderKeyName; key: string },
): Promise<string | null> {
  const bindings = { fetch, keys: () => Promise.resolve({ [name]: key }) };
  if (name === "local") {
    const server = (await serverVerbs(config, bindings).servers()).find(
      (candidate) => candidate.name === name,
    );
    if (server === undefined) return "OPENAI_COMPATIBLE_BASE_URL must name the server first";
    return server.problem && `the server ${server.problem}`;
  }
  if (gatewayUrl(config) === null) {
    return "AI_GATEWAY_ACCOUNT_ID and AI_GATEWAY_ID must name the gateway first";
  }
  const prefix = name === "gateway" ? GATEWAY_PROVIDERS[0] : name;
  const abortSignal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  try {
    const models = gateway.open({ prefix, model: `${prefix}/${UNKNOWN_MODEL}` }, config, bindings);
    const options = { prompt: PROMPT, maxOutputTokens: 1, abortSignal };
    await models.chat(UNKNOWN_MODEL).doGenerate(options);
    return null;
  } catch (thrown) {
    return problemOf(thrown);
  }
}

function problemOf(thrown: unknown): string | null {
  const { status } = thrown instanceof ModelFailure ? thrown : { status: null };
  if (status === null) return "the provider did not answer within 8 seconds";
  if (status === UNAUTHORIZED || status === FORBIDDEN) return `the provider refuses it (${status})`;
  return status < FIRST_SERVER_ERROR ? null : `the provider failed (${status}): try again later`;
}
