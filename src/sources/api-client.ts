import type { z } from "zod";

import { DOCUMENT_LIMIT_BYTES } from "../core/document-limit.ts";
import { parseJson } from "../core/input/parse-json.ts";
import { MINUTE_MS, SECOND_MS, type Now } from "../core/time.ts";
import { missingFile, SourceFailure } from "../ports/source-reader.ts";
import type { ListedFile, OpenedFile } from "../ports/source-reader.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { guardedFetch, openResponse, readText, retryAfterMs, tooLarge } from "./guarded-fetch.ts";
import type { GuardedRequest, GuardedResponse, FetchClient } from "./guarded-fetch.ts";
import { advanceListing } from "./listing-advance.ts";

const ERROR_BODY_LIMIT_BYTES = 65_536;
/** Statuses for somebody who has not signed in; redirects lead to a sign-in. */
const CLOSED = [301, 302, 303, 307, 308, 401, 403, 404];
const DOWNLOAD_TIMEOUT_MS = 2 * MINUTE_MS;

/**
 * An answer that is no success; `code` is the provider's word for why, "" without one.
 * `retryAfterMs`: by `Retry-After`, or until a rate limit that is used up is reset.
 */
export type ApiError = { status: number; code: string; retryAfterMs: number | null };
type Answer<Content> = { answer: Content; headers: Headers };
type ApiReply<Content> = Answer<Content> | { error: ApiError };
type Download = { got: GuardedResponse } | { error: ApiError };

type ApiQuery = Record<string, string | number | boolean | undefined>;
/** A body is posted as JSON unless a method is named; an answer 304 to `headers` is an error. */
type CallParts = {
  method?: "PATCH" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
};
/** A page of a listing; `next` names the one after it. */
export type ApiPage<Item> = { items: Item[]; next: string | null };

type Listing = { cursor?: string; absent?: number[]; limit?: number };
type OpenOptions = { missing?: number[]; isElsewhere?: boolean; headers?: Record<string, string> };

export type ApiProvider = {
  /** As messages name it. */
  name: string;
  /** Without a trailing slash; the token is sent to addresses below it only. */
  baseUrl: string;
  answerLimitBytes: number;
  headers?: Record<string, string>;
  codeIn: (errorBody: unknown) => string;
  /** Whether it asks to wait, other than by the status 429. */
  isThrottle?: (error: ApiError) => boolean;
  /** The wait where such an answer names none, ms. */
  throttleMs?: number;
  /** The remedy for a refusal, or why a file cannot be read; undefined: the provider is down. */
  remedyFor: (error: ApiError) => string | SourceFailure | undefined;
};

export type Connection = { outgoing: FetchClient; now: Now; tokens: AccessTokens };

/** An API that is called within calls of a reader, each of which has a signal that ends it. */
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
    { absent = [404], ...request }: CallParts & { absent?: number[] } = {},
  ): Promise<Answer | null> {
    const reply = await this.ask(schema, address, request);
    return "answer" in reply ? reply.answer : this.#nullIfAbsent(reply.error, absent);
  }

  /**
   * Everything that a listing holds, or `limit` items; null as `find`. A page names the next one by
   * a value of the parameter `cursor` or, without that, by its address; a bare list by `Link`.
   */
  async all<Item>(
    page: z.ZodType<ApiPage<Item> | Item[]>,
    first: string,
    { cursor, absent = [], limit = Infinity }: Listing = {},
  ): Promise<Item[] | null> {
    const items: Item[] = [];
    let advance: Awaited<ReturnType<typeof advanceListing>>;
    for (let address: string | null = first; address !== null && items.length < limit;) {
      const reply: ApiReply<ApiPage<Item> | Item[]> = await this.ask(page, address);
      if ("error" in reply) return this.#nullIfAbsent(reply.error, absent);
      const { items: some, next }: ApiPage<Item> = pageIn(reply);
      items.push(...some);
      advance = await advanceListing(advance, { next, entries: some.length });
      address = next === null || cursor === undefined ? next : withQuery(first, { [cursor]: next });
    }
    return items;
  }

  /** Errors are returned. An empty answer reads as null. */
  async ask<Answer>(
    schema: z.ZodType<Answer>,
    address: string,
    request: CallParts = {},
  ): Promise<ApiReply<Answer>> {
    const got = await this.#fetch(address, requestOf(request));
    if (!got.response.ok) return { error: await this.#errorIn(got) };
    const { answerLimitBytes: limitBytes, name } = this.#provider;
    const text = await readText(got, { callers: this.#signal, limitBytes });
    const parsed = schema.safeParse(text === "" ? null : parseJson(text));
    if (parsed.success) return { answer: parsed.data, headers: got.response.headers };
    throw new SourceFailure("down", `${name}: an answer in an unknown form`);
  }

  address(path: string, query: ApiQuery = {}): string {
    return withQuery(`${this.#provider.baseUrl}/${path}`, query);
  }

  /**
   * Opens a listed file. `isElsewhere`: redirects are followed, without credentials.
   * @throws SourceFailure, `missingFile` for one of the statuses `missing`
   */
  async open(
    { size, mimeType }: Pick<ListedFile, "size" | "mimeType">,
    address: string,
    { missing = [404], isElsewhere = false, headers }: OpenOptions = {},
  ): Promise<OpenedFile> {
    if (size > DOCUMENT_LIMIT_BYTES) throw tooLarge(DOCUMENT_LIMIT_BYTES);
    const reply = await (isElsewhere
      ? this.#downloadRedirected(address)
      : this.download(address, headers));
    if ("got" in reply) return await openResponse(reply.got, mimeType);
    const { status } = reply.error;
    if (missing.includes(status)) throw missingFile(`${this.#provider.name}: ${status}`);
    throw this.failure(reply.error);
  }

  /** A file's bytes, still to be read. */
  async download(address: string, headers: Record<string, string> = {}): Promise<Download> {
    const request = { headers, timeoutMs: DOWNLOAD_TIMEOUT_MS };
    return await this.#toDownload(await this.#fetch(address, request));
  }

  /** Downloads from a pre-authenticated address, which must not be sent our token. */
  async downloadWithoutToken(address: string): Promise<Download> {
    const timeoutMs = DOWNLOAD_TIMEOUT_MS;
    return await this.#toDownload(await this.#fetchAnywhere(address, { timeoutMs }));
  }

  /** Whether somebody without credentials may read an address. @throws SourceFailure */
  async isPublic(address: string): Promise<boolean> {
    const got = await this.#fetchAnywhere(address, { maxRedirects: 0 });
    if (!got.response.ok) return this.#nullIfAbsent(await this.#errorIn(got), CLOSED) !== null;
    await got.response.body?.cancel();
    return true;
  }

  /** As `download`, through redirects: other hosts than the provider's get no credentials. */
  async #downloadRedirected(address: string): Promise<Download> {
    const headers = async (url: URL) => (this.#isOwn(url.href) ? await this.#headers() : {});
    const request = { headers, timeoutMs: DOWNLOAD_TIMEOUT_MS };
    return await this.#toDownload(await this.#fetchAnywhere(address, request));
  }

  /** From any host, without our token unless `headers` of the request add it. */
  async #fetchAnywhere(address: string, request: Omit<GuardedRequest, "signal">) {
    const { headers = {} } = this.#provider;
    const whole = { headers, ...request, signal: this.#signal };
    return await guardedFetch(this.#connection.outgoing, address, whole);
  }

  failure(error: ApiError): SourceFailure {
    const { name, isThrottle, throttleMs = null, remedyFor } = this.#provider;
    const { status, code, retryAfterMs: wait } = error;
    const problem = `${name}: ${status} ${code}`.trimEnd();
    if (status === 429 || isThrottle?.(error) === true)
      return new SourceFailure("throttled", problem, wait ?? throttleMs);
    const remedy = remedyFor(error);
    if (remedy === undefined) return new SourceFailure("down", problem, wait);
    if (remedy instanceof SourceFailure) return remedy;
    return new SourceFailure("denied", `${problem}: ${remedy}`);
  }

  #nullIfAbsent(error: ApiError, absent: number[]): null {
    const failure = this.failure(error);
    if (failure.kind !== "throttled" && absent.includes(error.status)) return null;
    throw failure;
  }

  async #toDownload(got: GuardedResponse): Promise<Download> {
    return got.response.ok ? { got } : { error: await this.#errorIn(got) };
  }

  async #errorIn(got: GuardedResponse): Promise<ApiError> {
    const { status, headers } = got.response;
    const text = await readText(got, { limitBytes: ERROR_BODY_LIMIT_BYTES }).catch(() => "");
    const code = this.#provider.codeIn(parseJson(text));
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

function requestOf({ headers = {}, ...post }: CallParts): Request {
  const { method, body } = post;
  if (method === undefined && !("body" in post)) return { headers };
  const text = body === undefined ? "" : JSON.stringify(body);
  return { headers, post: { body: text, ...(method === undefined ? {} : { method }) } };
}

function pageIn<Item>({ answer, headers }: Answer<ApiPage<Item> | Item[]>): ApiPage<Item> {
  return Array.isArray(answer) ? { items: answer, next: nextLink(headers) } : answer;
}

function withQuery(address: string, query: ApiQuery): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** The address of a listing's next page in a `Link` header, https://www.rfc-editor.org/rfc/rfc8288 */
export function nextLink(headers: Headers): string | null {
  const links = (headers.get("link") ?? "").split(",");
  const next = links.find((link) => /;\s*rel="?next"?\s*(;|$)/i.test(link)) ?? "";
  return /^\s*<([^>]*)>/.exec(next)?.[1] ?? null;
}

/**
 * When a used up rate limit starts over: seconds since 1970 (GitHub, GitLab) or from now
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
