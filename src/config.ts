import { z } from "zod";

import { parseRanges, type AddressRange } from "./core/addresses.ts";
import { trimEnd } from "./core/trim.ts";

/** Values that a variable accepts, as docs/configuration.md lists them. */
const allow = <Schema extends z.ZodType>(schema: Schema, allowed: string): Schema =>
  schema.meta({ allowed });

const figure = (value: number) => value.toLocaleString("en");

function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  const isOpen = max === Number.MAX_SAFE_INTEGER;
  const error = `must be a whole number${isOpen ? `, at least ${min}` : ` from ${min} to ${max}`}`;
  const schema = z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
  return allow(schema, isOpen ? `${figure(min)} or more` : `${figure(min)} to ${figure(max)}`);
}
const perMinute = wholeNumber(1, 10_000);
const oneOf = <const Names extends readonly [string, ...string[]]>(...names: Names) => {
  const listed = `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  return allow(z.enum(names, { error: `must be ${listed}` }), listed);
};
const flag = oneOf("true", "false").transform((text) => text === "true");
/** wrangler sometimes passes an unset variable as an empty text; it means "not set". */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema.optional());
const httpUrl = allow(
  z.url({ protocol: /^https?$/, error: "must be an http or https address" }),
  "http or https address",
).transform((url) => trimEnd(url, "/"));
const ORIGIN =
  "must be an origin, such as https://quarry.example.com: http or https, without user, path, query or fragment; a path before Quarry's own is not supported";
const origin = allow(z.string().refine(isOrigin, ORIGIN), "http or https origin").transform(
  (text) => new URL(text).origin,
);
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}
const RANGES =
  "must be addresses and ranges such as 10.0.0.0/8, comma between, and not all addresses";
const addressRanges = allow(z.string().transform(parseRanges), "addresses and ranges").pipe(
  z.custom<AddressRange[]>(Array.isArray, RANGES),
);
const CONTACT = "must be a mailto: or https: address";
const contact = allow(
  z.url({ protocol: /^(https|mailto)$/, normalize: true, error: CONTACT }),
  "mailto: or https: address",
);
/** Deliberately loose: `admin@localhost` is a valid address on a laptop. */
const EMAIL = /^[^\s@]+@[^\s@]+$/;
/** `provider/name`. */
export const modelName = allow(
  z.string().regex(/^[a-z0-9-]+\/.+$/, "must be named provider/name, such as local/llama3.2"),
  "provider/name",
);
const AES_KEY = "must be 32 bytes in base64 (openssl rand -base64 32)";
const aesKey = allow(
  z.base64({ error: AES_KEY, abort: true }).refine((text) => atob(text).length === 32, AES_KEY),
  "32 bytes in base64",
);
/** The largest models in use have so many. */
export const MAX_DIMENSIONS = 4_096;
/** https://developers.cloudflare.com/vectorize/platform/limits/ */
const MAX_VECTORIZE_DIMENSIONS = 1_536;
const MAX_ADMIN_PASSWORD_LENGTH = 1_024;
const MIN_PRODUCTION_ADMIN_PASSWORD_LENGTH = 12;

/**
 * Every variable of the Worker: its default, bounds and meaning, from which the table in
 * docs/configuration.md is made. Parsed once; nothing else reads the environment.
 */
export const variables = z.object({
  ENVIRONMENT: oneOf("development", "preview", "production")
    .default("production")
    .describe("Which deployment this is; `production` and `preview` refuse development settings"),
  PUBLIC_BASE_URL: optional(origin).describe(
    "Address in answers and for notifications of drives; without it, the request's. Off Cloudflare, callers elsewhere reach the service by this name only",
  ),
  TRUSTED_PROXIES: optional(addressRanges).describe(
    "Off Cloudflare: [proxies](reverse-proxy.md) that say who calls, comma between",
  ),
  SECURITY_CONTACT: optional(contact).describe(
    "Where to report a weakness, in `/.well-known/security.txt`; without it, there is no such file",
  ),
  EMBEDDING_MODEL: modelName
    .default("embedded/hash")
    .describe("Model that embeds documents and queries"),
  EMBEDDING_DIMENSIONS: wholeNumber(8, MAX_DIMENSIONS)
    .default(1_024)
    .describe("Dimensions of its vectors; Vectorize takes up to 1,536"),
  EMBEDDING_QUERY_PREFIX: optional(z.string()).describe(
    "What goes before a query that it embeds; without it, [what the model expects](models.md#prefixes)",
  ),
  EMBEDDING_PASSAGE_PREFIX: optional(z.string()).describe("The same before a passage"),
  VECTOR_INDEX: oneOf("embedded", "vectorize", "auto")
    .default("embedded")
    .describe("Where nearest neighbours are searched"),
  EXACT_SEARCH_CHUNKS: wholeNumber(1)
    .default(100_000)
    .describe("With `auto`: a RAG with more chunks moves to Vectorize"),
  INDEX_SHARD_CHUNKS: wholeNumber(1)
    .default(250_000)
    .describe("Chunks of one shard of a RAG's index; a larger RAG is rebuilt with more shards"),
  REPLACED_INDEX_MINUTES: wholeNumber(5, 43_200)
    .default(1_440)
    .describe("Minutes that a replaced index is kept, to go back to it"),
  FULL_LISTING_HOURS: wholeNumber(1, 8_760)
    .default(24)
    .describe("Hours between full listings of a source with a change feed"),
  DELETED_FILES_DAYS: wholeNumber(1, 365)
    .default(30)
    .describe("Days that a deleted file stays listed as `deleted`"),
  KEEP_QUERIES_DAYS: wholeNumber(0, 365)
    .default(0)
    .describe(
      "Days that queries of programs are kept, with the score and file of each result; 0 keeps none",
    ),
  USAGE_WAIT_MS: wholeNumber(0, 10_000)
    .default(1_000)
    .describe(
      "Milliseconds that usage and the request log (at most 2,000) are collected before they are sent; a crash loses what was collected; 0 sends each call's by itself",
    ),
  RETRIEVAL_TIMEOUT_MS: wholeNumber(1)
    .default(8_000)
    .describe("Time limit of a retrieval, ms; results that are late are left out"),
  SEARCHES_AT_ONCE: wholeNumber(1)
    .default(2)
    .describe("Long searches of one token, session or address that run at once"),
  SEARCHES_WAITING: wholeNumber(0)
    .default(30)
    .describe("Long searches of one caller that may wait; more get 503 with `Retry-After`"),
  MODEL_ANSWER_MAX_BYTES: wholeNumber(1_024)
    .default(8 * 1_024 * 1_024)
    .describe("A longer answer of a model provider is a 502; so is a stream's event above 1 MiB"),
  MODEL_TIMEOUT_MS: wholeNumber(1)
    .default(60_000)
    .describe("Time limit of all model work of a call, ms"),
  RATE_LIMIT_API: perMinute.default(60).describe("API requests in any 60 seconds per client IP"),
  RATE_LIMIT_WEBHOOKS: perMinute
    .default(20)
    .describe("Webhook calls in any 60 seconds per client IP"),
  RATE_LIMIT_EMBED: perMinute
    .default(30)
    .describe("Requests below `/embed/` in any 60 seconds per client IP"),
  RATE_LIMIT_LOGIN: perMinute.default(10).describe("Sign-ins in any 60 seconds per client IP"),
  RATE_LIMIT_PANEL: perMinute
    .default(30)
    .describe("Panel calls with missing or wrong credentials in any 60 seconds per client IP"),
  OPENAI_COMPATIBLE_BASE_URL: optional(httpUrl).describe(
    "OpenAI-compatible server of `local/…` models; ends in `/v1`",
  ),
  EMBEDDING_BASE_URL: optional(httpUrl).describe(
    "Another such server, of `local-embed/…` models, without a key",
  ),
  OPENAI_COMPATIBLE_API_KEY: optional(z.string()).describe("Secret: that server's key"),
  OPENAI_COMPATIBLE_CALLS_AT_ONCE: optional(wholeNumber(1)).describe(
    "Calls at once; without it, 1 of embeddings, any others",
  ),
  OPENAI_COMPATIBLE_CONTEXT_TOKENS: optional(wholeNumber(1_024)).describe(
    "Most tokens of prompt and answer; without it, what the server says, or 16,384",
  ),
  AI_GATEWAY_ACCOUNT_ID: optional(z.string()).describe("Account of the AI Gateway"),
  AI_GATEWAY_ID: optional(z.string()).describe("Name of the gateway"),
  AI_GATEWAY_TOKEN: optional(z.string()).describe("Secret: the gateway's token"),
  AI_GATEWAY_BASE_URL: httpUrl
    .default("https://gateway.ai.cloudflare.com/v1")
    .describe("Address of the gateway"),
  ENCRYPTION_KEY: optional(aesKey).describe(
    "Secret, required in production: seals credentials at rest",
  ),
  ENCRYPTION_KEY_PREVIOUS: optional(aesKey).describe(
    "Secret: the key before, while keys are rotated",
  ),
  PANEL_ADMIN_EMAIL: optional(
    allow(z.string().regex(EMAIL, "must be an e-mail address"), "e-mail address"),
  ).describe("Secret in production: the first administrator, created at the first sign-in"),
  PANEL_ADMIN_PASSWORD: optional(
    allow(
      z.string().min(1).max(MAX_ADMIN_PASSWORD_LENGTH, "must have at most 1,024 characters"),
      `1 to ${figure(MAX_ADMIN_PASSWORD_LENGTH)} characters`,
    ),
  ).describe(
    `Secret in production: that administrator's password, at least ${MIN_PRODUCTION_ADMIN_PASSWORD_LENGTH} characters`,
  ),
  PANEL_ADMIN_RESET: flag
    .default(false)
    .describe(
      "Sets that password again at the next sign-in; a new one removes the second factor, once",
    ),
  REQUIRE_TOTP: flag
    .default(false)
    .describe("Users without a second factor may sign in only to enrol one"),
  PASSWORD_SIGN_IN: oneOf("on", "off")
    .default("on")
    .describe("`off`: people sign in with OpenID Connect only, once an administrator has done so"),
  ALLOW_PRIVATE_URLS: flag
    .default(false)
    .describe("Sources, events and sign-in may reach your own network; refused in production"),
});

export type Config = z.infer<typeof variables>;

export const variableNames: readonly string[] = Object.keys(variables.shape);

/** Settings that are invalid in combination, or invalid in production. */
const checked = variables.superRefine((config, context) => {
  const addIssue = (name: keyof Config, message: string) =>
    context.addIssue({ code: "custom", path: [name], message });
  if (config.VECTOR_INDEX !== "embedded" && config.EMBEDDING_DIMENSIONS > MAX_VECTORIZE_DIMENSIONS)
    addIssue("EMBEDDING_DIMENSIONS", `must be at most ${MAX_VECTORIZE_DIMENSIONS} with Vectorize`);
  if (config.ENVIRONMENT === "development") return;
  if (config.ALLOW_PRIVATE_URLS) addIssue("ALLOW_PRIVATE_URLS", "must not be set in production");
  if (config.ENCRYPTION_KEY === undefined) addIssue("ENCRYPTION_KEY", "must be set in production");
  const password = config.PANEL_ADMIN_PASSWORD;
  if (password !== undefined && password.length < MIN_PRODUCTION_ADMIN_PASSWORD_LENGTH) {
    const least = `at least ${MIN_PRODUCTION_ADMIN_PASSWORD_LENGTH} characters in production`;
    addIssue("PANEL_ADMIN_PASSWORD", `must have ${least}`);
  }
});

export const CONFIGURATION_IS_WRONG = "Configuration is wrong.";

/** Names the invalid variable; never its value, which may be a secret. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  /** Each begins with the variable. */
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`${CONFIGURATION_IS_WRONG} ${problems.join("; ")}`);
    this.problems = problems;
  }
}

/** workerd binds null where its environment lacks a variable. @throws ConfigError that names every invalid variable. */
export function parseConfig(environment: Record<string, unknown>): Config {
  const given = Object.entries(environment).filter(([, value]) => value !== null);
  const parsed = checked.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new ConfigError([...new Set(wrong)]);
}
