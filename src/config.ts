import { z } from "zod";
import { trimEnd } from "./core/trim.ts";

/**
 * Every variable of the Worker, with its default and meaning. Parsed once; nothing else reads the
 * environment. docs/configuration.md describes the same variables in prose. Each message says what the
 * variable may be.
 */
function whole(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range =
    most === Number.MAX_SAFE_INTEGER ? `, at least ${least}` : ` from ${least} to ${most}`;
  const error = `must be a whole number${range}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
}
const perMinute = whole(1, 10_000);
const flag = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((text) => text === "true");
/** wrangler sometimes passes an unset variable as an empty text; it means "not set". */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema.optional());
const httpUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .transform((url) => trimEnd(url, "/"));
/** Deliberately loose: `admin@localhost` is a valid address on a laptop. */
const EMAIL = /^[^\s@]+@[^\s@]+$/;
/** `provider/name`. */
export const modelName = z
  .string()
  .regex(/^[a-z0-9-]+\/.+$/, "must be named provider/name, such as local/llama3.2");
const AES_KEY = "must be 32 bytes in base64 (openssl rand -base64 32)";
const aesKey = z
  .base64({ error: AES_KEY, abort: true })
  .refine((text) => atob(text).length === 32, AES_KEY);

const variables = z.object({
  /** Which deployment this is. `production` refuses development settings. */
  ENVIRONMENT: z
    .enum(["development", "preview", "production"], {
      error: "must be development, preview or production",
    })
    .default("production"),
  /** `{base_url}` in answers; without it the request's own origin. */
  PUBLIC_BASE_URL: optional(httpUrl),
  /** Model that embeds documents and queries, deployment-wide. */
  EMBEDDING_MODEL: modelName.default("embedded/hash"),
  /** Dimensions of its vectors. Vectorize supports up to 1,536. */
  EMBEDDING_DIMENSIONS: whole(8, 1_536).default(1_024),
  /**
   * Where nearest neighbours are searched: `embedded` (exactly, in the RAG's own object),
   * `vectorize`, or `auto`: in the object up to EXACT_SEARCH_CHUNKS, in Vectorize above.
   */
  VECTOR_INDEX: z
    .enum(["embedded", "vectorize", "auto"], { error: "must be embedded, vectorize or auto" })
    .default("embedded"),
  /** With `auto`: chunks of a RAG above which it moves to Vectorize. */
  EXACT_SEARCH_CHUNKS: whole(1).default(100_000),
  /** Chunks per shard of a RAG's index above which it is rebuilt with more shards. */
  INDEX_SHARD_CHUNKS: whole(1).default(250_000),
  /** How long a replaced index is kept, so that one can return to it, minutes. */
  REPLACED_INDEX_MINUTES: whole(5, 43_200).default(1_440),
  /** How often a source with a change feed is listed in full, to mend what the feed missed, hours. */
  FULL_LISTING_HOURS: whole(1, 8_760).default(24),
  /** How long a deleted file stays listed as `deleted`, days. */
  DELETED_FILES_DAYS: whole(1, 365).default(30),
  /** How long queries of programs are kept, with what was found, days; 0: they are not kept. */
  KEEP_QUERIES_DAYS: whole(0, 365).default(0),
  /** How long an isolate collects its calls' usage for one message, ms; 0: each has its own. */
  USAGE_WAIT_MS: whole(0, 10_000).default(1_000),
  /** Time limit of a whole retrieval, ms; results that are not there by then are left out. */
  RETRIEVAL_TIMEOUT_MS: whole(1).default(8_000),
  /** Long searches of one token, session or address that an isolate runs at once. */
  SEARCHES_AT_ONCE: whole(1).default(2),
  /** Long searches of one caller that may wait; more are refused with 503. */
  SEARCHES_WAITING: whole(0).default(30),
  /** A model provider's answer that is longer is a failure of the provider. */
  MODEL_ANSWER_MAX_BYTES: whole(1_024).default(8 * 1_024 * 1_024),
  /** Time limit of all model work of one call together, ms. */
  MODEL_TIMEOUT_MS: whole(1).default(60_000),
  /** Requests in any 60 seconds per client IP and surface. */
  RATE_LIMIT_API: perMinute.default(60),
  RATE_LIMIT_WEBHOOKS: perMinute.default(20),
  RATE_LIMIT_EMBED: perMinute.default(30),
  RATE_LIMIT_LOGIN: perMinute.default(10),
  /** Panel calls with missing or wrong credentials; calls with valid ones are never counted. */
  RATE_LIMIT_PANEL: perMinute.default(30),
  /** Base address of an OpenAI-compatible server for `local/…` models; ends in /v1. */
  OPENAI_COMPATIBLE_BASE_URL: optional(httpUrl),
  OPENAI_COMPATIBLE_API_KEY: optional(z.string()),
  /** Tokens of prompt and answer together that its chat models accept; passages are cut to fit. */
  OPENAI_COMPATIBLE_CONTEXT_TOKENS: whole(1_024).default(16_384),
  /** AI Gateway, for `openai/…`, `anthropic/…` and the like. */
  AI_GATEWAY_ACCOUNT_ID: optional(z.string()),
  AI_GATEWAY_ID: optional(z.string()),
  AI_GATEWAY_TOKEN: optional(z.string()),
  AI_GATEWAY_BASE_URL: httpUrl.default("https://gateway.ai.cloudflare.com/v1"),
  /** AES-256 key for credentials at rest, and the previous one while keys are rotated. */
  ENCRYPTION_KEY: optional(aesKey),
  ENCRYPTION_KEY_PREVIOUS: optional(aesKey),
  /** The first administrator, created at the first sign-in while no user exists. */
  PANEL_ADMIN_EMAIL: optional(z.string().regex(EMAIL, "must be an e-mail address")),
  PANEL_ADMIN_PASSWORD: optional(
    z.string().min(1).max(1_024, "must have at most 1,024 characters"),
  ),
  /** Sets the first administrator's password from the secret at the next sign-in. */
  PANEL_ADMIN_RESET: flag.default(false),
  /** Users without a second factor may sign in only to enrol one. */
  REQUIRE_TOTP: flag.default(false),
  /** Disables the guard on outgoing fetches, for tests. */
  ALLOW_PRIVATE_URLS: flag.default(false),
});

export type Config = z.infer<typeof variables>;

export const variableNames: readonly string[] = Object.keys(variables.shape);

const PRODUCTION_ADMIN_PASSWORD_MIN_LENGTH = 12;

/** Settings that are invalid in combination, or invalid in production. */
const checked = variables.superRefine((config, context) => {
  const wrong = (name: keyof Config, message: string) =>
    context.addIssue({ code: "custom", path: [name], message });
  if (config.ENVIRONMENT === "development") return;
  if (config.ALLOW_PRIVATE_URLS) wrong("ALLOW_PRIVATE_URLS", "must not be set in production");
  if (config.ENCRYPTION_KEY === undefined) wrong("ENCRYPTION_KEY", "must be set in production");
  const password = config.PANEL_ADMIN_PASSWORD;
  if (password !== undefined && password.length < PRODUCTION_ADMIN_PASSWORD_MIN_LENGTH) {
    const least = `at least ${PRODUCTION_ADMIN_PASSWORD_MIN_LENGTH} characters in production`;
    wrong("PANEL_ADMIN_PASSWORD", `must have ${least}`);
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

/** @throws ConfigError that names every invalid variable. */
export function parseConfig(environment: Record<string, unknown>): Config {
  const parsed = checked.safeParse(environment);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new ConfigError([...new Set(wrong)]);
}
