import { readLimited } from "../core/bytes/read-limited.ts";
import { causeOfFailedFetch } from "../core/calls/failed-fetch.ts";
import { DOCUMENT_LIMIT_BYTES } from "../core/document-limit.ts";
import { SECOND_MS, waitMsIn } from "../core/time.ts";
import { kindByMediaType } from "../documents/media-type/media-types.ts";
import { SourceFailure, type OpenedFile } from "../ports/source-reader.ts";
import { decodeResponse } from "./content-codings.ts";
import { guardUrl } from "./guarded-url.ts";

const MIB = 1_024 * 1_024;
const DEFAULT_TIMEOUT_MS = 30 * SECOND_MS;
const DEFAULT_REDIRECTS = 5;

/** How outgoing fetches to chosen addresses are made; `fetch` is the platform's. */
export type FetchClient = {
  fetch: (url: string, request: RequestInit) => Promise<Response>;
  allowPrivate: boolean;
};

export type GuardedRequest = {
  isHead?: boolean;
  /** GET without a body by default; otherwise a redirect is then not followed. */
  post?: { method?: "POST" | "PATCH" | "DELETE"; body: string };
  /** Headers for every hop, or chosen for each. */
  headers?: Record<string, string> | ((url: URL) => Promise<Record<string, string>>);
  /** The whole exchange, body included, in milliseconds. */
  timeoutMs?: number;
  /** 0: an answer that redirects is returned as it is. */
  maxRedirects?: number;
  signal: AbortSignal;
  /** Asked before each address but the first; a text refuses it. */
  refuseHop?: (url: URL) => Promise<string | null> | string | null;
};

export type GuardedResponse = {
  response: Response;
  /** The address that answered, after redirects. */
  url: URL;
  /** Ends the exchange: the caller's abort or the time limit. */
  signal: AbortSignal;
};

/**
 * The one way out to an address that a user, a document or a site chose: every hop passes the
 * guard, and time and redirects are limited. Bytes are limited by `readBytes`.
 * @throws SourceFailure `denied` for what is not fetched, `bad-file` for redirects that loop,
 * `down` when nothing answers in time; the abort reason when `signal` aborts.
 */
export async function guardedFetch(
  outgoing: FetchClient,
  address: string,
  request: GuardedRequest,
): Promise<GuardedResponse> {
  const timeout = AbortSignal.timeout(request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const signal = AbortSignal.any([request.signal, timeout]);
  const maxRedirects = request.maxRedirects ?? DEFAULT_REDIRECTS;
  const visited = new Set<string>();
  const cookies = new Map<string, string>();
  let url = requireGuardedUrl(outgoing, address);
  for (;;) {
    const cookie = cookiesFor(cookies, url);
    visited.add(`${withoutFragment(url)} ${cookie}`);
    const response = await fetchOnce(outgoing, url, request, { signal, cookie });
    keepCookies(cookies, url, response);
    const location = redirectOf(response);
    if (location === null || maxRedirects === 0 || request.post !== undefined) {
      return { response: decodeResponse(response), url, signal };
    }
    await response.body?.cancel();
    url = requireGuardedUrl(outgoing, location, url);
    if (visited.has(`${withoutFragment(url)} ${cookiesFor(cookies, url)}`))
      throw new SourceFailure("bad-file", "redirects in a circle");
    if (visited.size > maxRedirects) {
      throw new SourceFailure("bad-file", `more than ${maxRedirects} redirects`);
    }
    const refusal = await request.refuseHop?.(url);
    if (typeof refusal === "string") throw new SourceFailure("denied", refusal);
  }
}

/** As browsers limit them; other characters cannot be sent. */
const SENT_COOKIE = /^[ -~]{1,4096}$/;

/** Some sites answer only who brings the cookie of a redirect along. None outlives the exchange. */
function keepCookies(cookies: Map<string, string>, { origin }: URL, { headers }: Response): void {
  for (const cookie of headers.getSetCookie()) {
    const [pair = ""] = cookie.split(";", 1);
    if (SENT_COOKIE.test(pair)) cookies.set(`${origin} ${pair.split("=", 1)[0]}`, pair);
  }
}

const cookiesFor = (cookies: Map<string, string>, { origin }: URL) =>
  [...cookies].flatMap(([key, pair]) => (key.startsWith(`${origin} `) ? pair : [])).join("; ");

function requireGuardedUrl({ allowPrivate }: FetchClient, address: string, base?: URL): URL {
  const verdict = guardUrl(address, base, allowPrivate);
  if (verdict.ok) return verdict.url;
  const what = base === undefined ? "address refused" : "redirect refused";
  throw new SourceFailure("denied", `${what}: ${verdict.reason}`);
}

async function fetchOnce(
  { fetch }: FetchClient,
  url: URL,
  { headers: requestHeaders = {}, post, isHead = false, signal: callers }: GuardedRequest,
  { signal, cookie }: { signal: AbortSignal; cookie: string },
): Promise<Response> {
  const own = typeof requestHeaders === "function" ? await requestHeaders(url) : requestHeaders;
  const headers = cookie === "" ? own : { ...own, cookie };
  const method = post === undefined ? isHead && { method: "HEAD" } : { method: "POST", ...post };
  try {
    return await fetch(url.href, { ...method, headers, signal, redirect: "manual" });
  } catch (error) {
    throw exchangeFailure(error, callers, signal, ` to ${url.host}`);
  }
}

/** Names the failure of an exchange that broke off; the caller's abort is passed on as it is. */
function exchangeFailure(
  error: unknown,
  callers: AbortSignal | undefined,
  signal: AbortSignal,
  where = "",
) {
  if (error instanceof SourceFailure) return error;
  if (callers?.aborted === true) return callers.reason;
  const late = signal.aborted;
  return new SourceFailure(
    "down",
    late
      ? "no complete answer in time"
      : `the connection${where} failed${causeOfFailedFetch(error)}`,
  );
}

function redirectOf(response: Response): string | null {
  return [301, 302, 303, 307, 308].includes(response.status)
    ? response.headers.get("location")
    : null;
}

const withoutFragment = ({ href }: URL) => href.split("#", 1)[0] ?? href;

export type BodyLimits = {
  /** The caller's own signal, to tell its abort from the time limit. */
  callers?: AbortSignal;
  limitBytes?: number;
};

/**
 * The whole body, decompressed.
 * @throws TooLarge beyond the limit, SourceFailure `down` when the body breaks off or drips,
 * `bad-file` when it cannot be decoded.
 */
export async function readBytes(
  { response, signal }: Pick<GuardedResponse, "response" | "signal">,
  { callers, limitBytes = DOCUMENT_LIMIT_BYTES }: BodyLimits = {},
): Promise<Uint8Array> {
  try {
    const { body } = response;
    const bytes = body === null ? new Uint8Array() : await readLimited(body, limitBytes);
    if (bytes === null) throw tooLarge(limitBytes);
    return bytes;
  } catch (error) {
    // The runtime decodes bodies. If it cannot, it throws a TypeError; not so for a lost connection.
    const isUndecoded = error instanceof TypeError && response.headers.has("content-encoding");
    if (isUndecoded && !signal.aborted) throw new SourceFailure("bad-file", UNDECODED);
    throw exchangeFailure(error, callers, signal);
  }
}

export const readText = async (...args: Parameters<typeof readBytes>) =>
  new TextDecoder().decode(await readBytes(...args));

const UNDECODED = "its bytes are not compressed as Content-Encoding says";

export class TooLarge extends SourceFailure {}

export function tooLarge(limitBytes: number): TooLarge {
  return new TooLarge("bad-file", `larger than ${Math.floor(limitBytes / MIB)} MiB`);
}

/** A person waits for it. */
const EXCHANGE_TIMEOUT_MS = 10 * SECOND_MS;
/** Larger than any set of keys or description of a provider. */
const EXCHANGE_LIMIT_BYTES = MIB;

/** For libraries: the whole answer within the limit. No redirect is followed. */
export async function guardedExchange(
  outgoing: FetchClient,
  address: string,
  { method = "GET", headers, body }: RequestInit,
): Promise<Response> {
  const form = body instanceof URLSearchParams ? body.toString() : "";
  const got = await guardedFetch(outgoing, address, {
    ...(method === "POST" ? { post: { body: form } } : {}),
    headers: Object.fromEntries(new Headers(headers)),
    timeoutMs: EXCHANGE_TIMEOUT_MS,
    maxRedirects: 0,
    signal: new AbortController().signal,
  });
  const bytes = await readBytes(got, { limitBytes: EXCHANGE_LIMIT_BYTES });
  const { status, headers: responseHeaders } = got.response;
  return new Response(bytes.length === 0 ? null : bytes, { status, headers: responseHeaders });
}

/** How long an answer asks to wait, ms; null when it does not. */
export const retryAfterMs = (headers: Headers, nowMs: number) =>
  waitMsIn(headers.get("retry-after") ?? "", nowMs);

/**
 * A document whose bytes an exchange brings, as far as the limit.
 * @throws SourceFailure `down` where a web page, as to sign in, answers in place of another format
 */
export async function openResponse({ response }: GuardedResponse, mimeType: string | null) {
  const { headers, body } = response;
  const isPage = kindByMediaType(headers.get("content-type")) === "html";
  if (isPage && !["html", null].includes(kindByMediaType(mimeType))) {
    await body?.cancel();
    throw new SourceFailure("down", "a web page answers in place of the file");
  }
  const size = Number(headers.get("content-length") ?? Number.NaN);
  const content = { body: limitBody(body, DOCUMENT_LIMIT_BYTES), mimeType };
  return { ...content, size: Number.isSafeInteger(size) ? size : null };
}

/** A text that was put together here. */
export function openText(text: string): OpenedFile {
  const blob = new Blob([text]);
  return { body: blob.stream(), size: blob.size, mimeType: "text/markdown" };
}

/** A body that fails once it has brought more than the limit, whatever its length was said to be. */
export function limitBody(body: ReadableStream<Uint8Array> | null, limitBytes: number) {
  let size = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > limitBytes) controller.error(tooLarge(limitBytes));
      else controller.enqueue(chunk);
    },
  });
  return (body ?? new Blob([]).stream()).pipeThrough(counter);
}
