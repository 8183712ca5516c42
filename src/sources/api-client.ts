import type { z } from "zod";

import { parsedJson } from "../core/input/parsed-json.ts";
import { MINUTE_MS, SECOND_MS, type Now } from "../core/time.ts";
import { SourceFailure } from "../ports/source-reader.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { guardedFetch, readBytes, retryAfterMs } from "./guarded-fetch.ts";
import type { GuardedRequest, GuardedResponse, Outgoing } from "./guarded-fetch.ts";
import { advanced } from "./listing-advance.ts";

const ERROR_BODY_LIMIT_BYTES = 65_536;
const DOWNLOAD_TIMEOUT_MS = 2 * MINUTE_MS;

/**
 * An answer that is no success; `code` is the provider's word for why, "" without one.
 * `retryAfterMs`: by `Retry-After`, or until a rate limit that is used up is reset.
 */
export type ApiError = { status: number; code: string; retryAfterMs: number | null };
type ApiReply<Answer> = { answer: Answer; headers: Headers } | { error: ApiError };
type Download = { got: GuardedResponse } | { error: ApiError };

type ApiQuery = Record<string, string | number | boolean | undefined>;
/** A body is posted as JSON unless a method is named; an answer 304 to `headers` is an error. */
type Sent = { method?: "PATCH" | "DELETE"; body?: unknown; headers?: Record<string, string> };
/** A page of a listing; `next` names the one after it. */
export type ApiPage<Item> = { items: Item[]; next: string | null };

export type ApiProvider = {
  /** As messages name it. */
  name: string;
  /** Without a trailing slash; the token is sent to addresses below it only. */
  baseUrl: string;
  answerLimitBytes: number;
  headers?: Record<string, string>;
  codeIn: (errorBody: unknown) => string;
  explain: (error: ApiError) => SourceFailure;
};

export type Connection = { outgoing: Outgoing; now: Now; tokens: AccessTokens };

/** An API that is asked within calls of a reader, each of which has a signal that ends it. */
export type Api = (signal: AbortSignal) => ApiClient;

/** An address of a configuration as base addresses are made of it: without a trailing slash. */
export const withoutSlash = (address: string) => new URL(address).href.replace(/\/$/, "");

/** Calls of a JSON API; an access token that is refused is renewed once, where another may be had. */
export class ApiClient {
  readonly #provider: ApiProvider;
  readonly #connection: Connection;
  readonly #signal: AbortSignal;

  constructor(provider: ApiProvider, connection: Connection, signal: AbortSignal) {
    this.#provider = provider;
    this.#connection = connection;
    this.#signal = signal;
  }

  /** @throws SourceFailure for whatever is no success */
  async get<Answer>(schema: z.ZodType<Answer>, path: string, query: ApiQuery): Promise<Answer> {
    const reply = await this.ask(schema, this.address(path, query));
    if ("answer" in reply) return reply.answer;
    throw this.failure(reply.error);
  }

  /**
   * Null for an answer with one of the statuses `absent`, unless the provider throttles with it.
   * @throws SourceFailure for other errors
   */
  async find<Answer>(
    schema: z.ZodType<Answer>,
    address: string,
    { absent = [404], ...request }: Sent & { absent?: number[] } = {},
  ): Promise<Answer | null> {
    const reply = await this.ask(schema, address, request);
    if ("answer" in reply) return reply.answer;
    const failure = this.failure(reply.error);
    if (failure.kind !== "throttled" && absent.includes(reply.error.status)) return null;
    throw failure;
  }

  /** Everything that a listing holds; null as `find`. `addressOf` is given null for the first page. */
  async all<Item>(
    page: z.ZodType<ApiPage<Item>>,
    addressOf: (next: string | null) => string,
    absent: number[],
  ): Promise<Item[] | null> {
    const items: Item[] = [];
    let next: string | null = null;
    let advance: Awaited<ReturnType<typeof advanced>>;
    do {
      const reply: ApiPage<Item> | null = await this.find(page, addressOf(next), { absent });
      if (reply === null) return null;
      items.push(...reply.items);
      ({ next } = reply);
      advance = await advanced(advance, { next, entries: reply.items.length });
    } while (next !== null);
    return items;
  }

  /** Errors are returned. An empty answer reads as null. */
  async ask<Answer>(
    schema: z.ZodType<Answer>,
    address: string,
    request: Sent = {},
  ): Promise<ApiReply<Answer>> {
    const got = await this.#fetch(address, requestOf(request));
    if (!got.response.ok) return { error: await this.#errorIn(got) };
    const { answerLimitBytes: limitBytes, name } = this.#provider;
    const text = await readText(got, { callers: this.#signal, limitBytes });
    const parsed = schema.safeParse(text === "" ? null : parsedJson(text));
    if (parsed.success) return { answer: parsed.data, headers: got.response.headers };
    throw new SourceFailure("down", `${name}: an answer in an unknown form`);
  }

  address(path: string, query: ApiQuery = {}): string {
    const url = new URL(`${this.#provider.baseUrl}/${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url.href;
  }

  /** A file's bytes, still to be read. */
  async download(address: string, headers: Record<string, string> = {}): Promise<Download> {
    const request = { headers, timeoutMs: DOWNLOAD_TIMEOUT_MS };
    return await this.#opened(await this.#fetch(address, request));
  }

  /** Downloads from a pre-authenticated address, which must not be sent our token. */
  async downloadWithoutToken(address: string): Promise<Download> {
    const { headers = {} } = this.#provider;
    const request = { headers, signal: this.#signal, timeoutMs: DOWNLOAD_TIMEOUT_MS };
    return await this.#opened(await guardedFetch(this.#connection.outgoing, address, request));
  }

  /** As `download`, through redirects: other hosts than the provider's get no credentials. */
  async downloadRedirected(address: string): Promise<Download> {
    const headers = async (url: URL) => (this.#isOwn(url.href) ? await this.#headers() : {});
    const limits = { signal: this.#signal, timeoutMs: DOWNLOAD_TIMEOUT_MS };
    return await this.#opened(
      await guardedFetch(this.#connection.outgoing, address, { headers, ...limits }),
    );
  }

  failure(error: ApiError): SourceFailure {
    return this.#provider.explain(error);
  }

  async #opened(got: GuardedResponse): Promise<Download> {
    return got.response.ok ? { got } : { error: await this.#errorIn(got) };
  }

  async #errorIn(got: GuardedResponse): Promise<ApiError> {
    const { status, headers } = got.response;
    const text = await readText(got, { limitBytes: ERROR_BODY_LIMIT_BYTES }).catch(() => "");
    const code = this.#provider.codeIn(parsedJson(text));
    const now = this.#connection.now();
    return { status, code, retryAfterMs: retryAfterMs(headers, now) ?? resetInMs(headers, now) };
  }

  async #fetch(address: string, request: Request): Promise<GuardedResponse> {
    const first = await this.#fetchOnce(address, request);
    const { tokens } = this.#connection;
    if (first.response.status !== 401 || tokens.renew === undefined) return first;
    await first.response.body?.cancel();
    tokens.renew();
    return await this.#fetchOnce(address, request);
  }

  async #fetchOnce(address: string, request: Request): Promise<GuardedResponse> {
    const { outgoing } = this.#connection;
    // Links come from answers.
    if (!this.#isOwn(address)) {
      throw new SourceFailure("down", `${this.#provider.name}: a link to another host`);
    }
    const type = request.post === undefined ? {} : { "content-type": "application/json" };
    const headers = { ...(await this.#headers()), ...type, ...request.headers };
    // A token is for one host: a redirect is reported, not followed.
    const limits = { signal: this.#signal, maxRedirects: 0 };
    return await guardedFetch(outgoing, address, { ...request, ...limits, headers });
  }

  #isOwn(address: string): boolean {
    return address.startsWith(`${this.#provider.baseUrl}/`);
  }

  async #headers(): Promise<Record<string, string>> {
    const { tokens } = this.#connection;
    const { scheme = "Bearer", header } = tokens;
    const token = await tokens.get(this.#signal);
    const proof =
      header === undefined ? { authorization: `${scheme} ${token}` } : { [header]: token };
    return { ...proof, ...this.#provider.headers };
  }
}

type Request = Pick<GuardedRequest, "post" | "timeoutMs"> & { headers?: Record<string, string> };

function requestOf({ headers = {}, ...post }: Sent): Request {
  const { method, body } = post;
  if (method === undefined && !("body" in post)) return { headers };
  const text = body === undefined ? "" : JSON.stringify(body);
  return { headers, post: { body: text, ...(method === undefined ? {} : { method }) } };
}

/** The address of a listing's next page in a `Link` header, https://www.rfc-editor.org/rfc/rfc8288 */
export function nextLink(headers: Headers): string | null {
  const links = (headers.get("link") ?? "").split(",");
  const next = links.find((link) => /;\s*rel="?next"?\s*(;|$)/i.test(link)) ?? "";
  return /^\s*<([^>]*)>/.exec(next)?.[1] ?? null;
}

/** A listing whose pages name the next one in `Link`, or `limit` items of it. @throws SourceFailure */
export async function linkedItems<Item>(
  client: ApiClient,
  items: z.ZodType<Item[]>,
  address: string,
  limit = Infinity,
): Promise<Item[]> {
  const all: Item[] = [];
  let advance: Awaited<ReturnType<typeof advanced>>;
  for (let next: string | null = address; next !== null && all.length < limit;) {
    const reply = await client.ask(items, next);
    if ("error" in reply) throw client.failure(reply.error);
    all.push(...reply.answer);
    next = nextLink(reply.headers);
    advance = await advanced(advance, { next, entries: reply.answer.length });
  }
  return all;
}

/**
 * When a used up rate limit begins anew: seconds since 1970 (GitHub, GitLab) or from now
 * (https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/03/), or a date (Atlassian).
 */
function resetInMs(headers: Headers, now: number): number | null {
  const prefix = ["x-ratelimit", "ratelimit"].find(
    (name) => headers.get(`${name}-remaining`) === "0",
  );
  if (prefix === undefined) return null;
  const reset = headers.get(`${prefix}-reset`) ?? "";
  const seconds = /^\d+$/.test(reset) ? Number(reset) : null;
  if (seconds !== null && seconds < YEAR_2001_S) return seconds * SECOND_MS;
  const at = seconds === null ? Date.parse(reset) : seconds * SECOND_MS;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
const YEAR_2001_S = 1_000_000_000;

const readText = async (...args: Parameters<typeof readBytes>) =>
  new TextDecoder().decode(await readBytes(...args));
