import { DOCUMENT_LIMIT_BYTES } from "../../../core/document-limit.ts";
import { fileNameOf } from "../../../core/folders.ts";
import { SECOND_MS } from "../../../core/time.ts";
import { parseStructured } from "../../../documents/formats/mail/mail-headers.ts";
import { mediaTypeByName, UNKNOWN_MEDIA_TYPE } from "../../../documents/media-type/media-types.ts";
import { SourceFailure } from "../../../ports/source-reader.ts";
import { bareMediaType } from "../../bare-media-type.ts";
import { problemWithName } from "../../file-names.ts";
import { guardedFetch, readBytes, retryAfterMs, tooLarge, TooLarge } from "../../guarded-fetch.ts";
import type { GuardedResponse } from "../../guarded-fetch.ts";
import { ACCEPT, USER_AGENT, type Crawl, type Crawler } from "../crawl-state.ts";
import { crawlDelayMs, robotsRefusal } from "../site/load-site.ts";
import { addRefresh, factsOf, type HtmlPage } from "./html-page.ts";

/** Consecutive requests without an answer, or with "too many requests", that end a scan. */
const SILENCE_LIMIT = 20;
/** Pauses within a call of the reader; a server that asks for more has its page in another scan. */
const LONGEST_PAUSE_MS = 10 * SECOND_MS;
const USUAL_PAUSE_MS = 2 * SECOND_MS;
/** Bodies up to this size are read side by side; a wave of them is in memory. */
const SMALL_BODY_BYTES = 1_024 * 1_024;
/** Headers are kept with the page in the database. */
const MAX_HEADER_LENGTH = 1_000;
/**
 * Types of linked addresses that are no documents; a named one fails with that reason later.
 */
const NO_DOCUMENT = /^(?:image|video|audio|font)\/|^text\/css$|javascript$|\/wasm$/;

export type Page = ReturnType<typeof headerFacts> & {
  outcome: "page";
  url: URL;
  bytes: Uint8Array;
  mediaType: string;
  /** The name of a download; null: its address names it. */
  fileName: string | null;
  /** Null for what is no HTML. */
  facts: HtmlPage | null;
};

export type Outcome =
  | Page
  | { outcome: "unchanged"; url: URL; robotsTag: string | null }
  | { outcome: "missing"; status: number }
  | { outcome: "failed"; failure: SourceFailure }
  /** Not read, so that no two large bodies are in memory: to be fetched again alone. */
  | { outcome: "large" };

export type Validators = { etag: string | null; lastModified: string | null };

export type FetchOptions = {
  /** Validators of the page when it was last fetched, if it may answer that it has not changed. */
  validatorsOf: (url: URL) => Promise<Validators | null>;
  /** False: what is no document is not downloaded. */
  anyType: boolean;
  /** Nothing else is being read: the body may be as large as a document or a sitemap is. */
  alone: boolean;
  /** Why a redirect may not be followed there; null: it may. */
  refuse: (url: URL) => string | null;
};

const failedOutcome = (failure: SourceFailure): Outcome => ({ outcome: "failed", failure });

/** A failure is an outcome; thrown are the caller's abort and a server that no longer answers. */
export async function fetchPage(crawler: Crawler, url: URL, options: FetchOptions) {
  const refusal = await robotsRefusal(crawler, url);
  if (refusal !== null) return failedOutcome(refusal);
  await waitForTurn(crawler, url);
  let { fetched, answered } = await exchange(crawler, url, options);
  const { kind, retryAfterMs: pauseMs } =
    "failure" in fetched ? fetched.failure : { kind: null, retryAfterMs: null };
  if (kind === "throttled" && (pauseMs ?? 0) <= LONGEST_PAUSE_MS) {
    await crawler.wait(pauseMs ?? USUAL_PAUSE_MS, crawler.signal);
    ({ fetched, answered } = await exchange(crawler, url, options));
  }
  countSilence(crawler.crawl, url, fetched, answered);
  return fetched;
}

async function exchange(crawler: Crawler, url: URL, options: FetchOptions) {
  try {
    const got = await guardedFetch(crawler.outgoing, url.href, {
      headers: async (hop) => headersOf(await options.validatorsOf(hop)),
      signal: crawler.signal,
      timeoutMs: crawler.pageTimeoutMs,
      refuseHop: async (hop) => {
        const outside = options.refuse(hop);
        if (outside !== null) return outside;
        return (await robotsRefusal(crawler, hop))?.message ?? null;
      },
    });
    const fetched = await outcomeOf(crawler, got, options);
    const isThrottled = fetched.outcome === "failed" && fetched.failure.kind === "throttled";
    return { fetched, answered: !isThrottled };
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    return { fetched: failedOutcome(error), answered: error.kind !== "down" };
  }
}

function headersOf(validators: Validators | null): Record<string, string> {
  const headers: Record<string, string> = { "user-agent": USER_AGENT, accept: ACCEPT };
  if (validators?.etag) headers["if-none-match"] = validators.etag;
  if (validators?.lastModified) headers["if-modified-since"] = validators.lastModified;
  return headers;
}

async function outcomeOf(crawler: Crawler, got: GuardedResponse, options: FetchOptions) {
  const { response, url } = got;
  const { status, headers } = response;
  const discard = async (fetched: Outcome) => {
    await response.body?.cancel();
    return fetched;
  };
  const robotsTag = headers.get("x-robots-tag");
  if (status === 304) return await discard({ outcome: "unchanged", url, robotsTag });
  if (status === 404 || status === 410) return await discard({ outcome: "missing", status });
  if (!READABLE.has(status))
    return await discard(failedOutcome(statusFailure(response, crawler.now())));
  const fileName = downloadName(headers);
  const mediaType = mediaTypeOf(url, fileName, headers.get("content-type"));
  if (!options.anyType && NO_DOCUMENT.test(mediaType)) {
    return await discard(failedOutcome(new SourceFailure("bad-file", `no document: ${mediaType}`)));
  }
  const limitBytes = options.alone ? DOCUMENT_LIMIT_BYTES : SMALL_BODY_BYTES;
  const beyond: Outcome = options.alone
    ? failedOutcome(tooLarge(limitBytes))
    : { outcome: "large" };
  if (Number(headers.get("content-length") ?? 0) > limitBytes) return await discard(beyond);
  const bytes = await readBytes(got, { callers: crawler.signal, limitBytes }).catch(nullIfTooLarge);
  if (bytes === null) return beyond;
  const facts = await factsIn(mediaType, bytes, headers);
  const page = { outcome: "page" as const, url, bytes, mediaType, fileName, facts };
  return { ...page, ...headerFacts(headers) };
}

async function factsIn(mediaType: string, bytes: Uint8Array, headers: Headers) {
  const facts = await factsOf(mediaType, bytes, headers.get("content-type"));
  if (facts !== null) addRefresh(facts, headers.get("refresh") ?? "", false);
  return facts;
}

function headerFacts(headers: Headers) {
  const headerText = (name: string) => headers.get(name)?.slice(0, MAX_HEADER_LENGTH) ?? null;
  return {
    /** As the server sent it, charset included. */
    contentType: headerText("content-type"),
    etag: validator(headers.get("etag")),
    lastModified: validator(headers.get("last-modified")),
    robotsTag: headerText("x-robots-tag"),
  };
}

/** One that is cut off would match nothing. */
function validator(header: string | null): string | null {
  return header === null || header.length > MAX_HEADER_LENGTH ? null : header;
}

function nullIfTooLarge(error: unknown): null {
  if (error instanceof TooLarge) return null;
  throw error;
}

/** The name that a download asks to be stored by: https://www.rfc-editor.org/rfc/rfc6266 */
function downloadName(headers: Headers): string | null {
  const { parameters } = parseStructured(headers.get("content-disposition") ?? "");
  const name = fileNameOf((parameters.get("filename") ?? "").replaceAll("\\", "/"));
  return problemWithName(name) === null ? name : null;
}

function mediaTypeOf(url: URL, fileName: string | null, contentType: string | null): string {
  const mediaType = bareMediaType(contentType);
  if (mediaType !== null && mediaType !== UNKNOWN_MEDIA_TYPE) return mediaType;
  const byName = [fileName ?? "", url.pathname].map(mediaTypeByName);
  const ofName = byName.find((each) => each !== UNKNOWN_MEDIA_TYPE);
  return ofName ?? mediaType ?? "text/html";
}

/** 203: a proxy on the way has changed the answer. */
const READABLE = new Set([200, 203]);
const DENYING = new Set([401, 402, 403, 407, 451]);
const PASSING = new Set([408, 421, 425]);

function statusFailure(response: Response, nowMs: number): SourceFailure {
  const { status, headers } = response;
  const message = `the server answered ${status}`;
  const wait = retryAfterMs(headers, nowMs);
  if (status === 429 || (status === 503 && wait !== null)) {
    return new SourceFailure("throttled", message, wait);
  }
  if (DENYING.has(status)) return new SourceFailure("denied", message);
  const passing = status >= 500 || PASSING.has(status);
  return new SourceFailure(passing ? "down" : "bad-file", message);
}

/** @throws UnresponsiveServer when it gave no usable answer many times in a row. */
function countSilence(crawl: Crawl, { host }: URL, fetched: Outcome, answered: boolean): void {
  const count = answered ? 0 : (crawl.silence.get(host) ?? 0) + 1;
  crawl.silence.set(host, count);
  if (fetched.outcome !== "failed" || count < SILENCE_LIMIT) return;
  const { kind, message, retryAfterMs } = fetched.failure;
  throw new UnresponsiveServer(kind, `${host}: ${message}, ${count} times in a row`, retryAfterMs);
}

/** The whole scan stops: to go on would show nothing about the pages. */
export class UnresponsiveServer extends SourceFailure {}

/** Waits until the host may be called again and books the next time. */
async function waitForTurn(crawler: Crawler, { host, origin }: URL): Promise<void> {
  const { crawl, now, wait, signal } = crawler;
  const delayMs = crawlDelayMs(crawl, origin);
  if (delayMs === 0) return;
  const at = Math.max(now(), crawl.nextAt.get(host) ?? 0);
  crawl.nextAt.set(host, at + delayMs);
  if (at > now()) await wait(at - now(), signal);
}
