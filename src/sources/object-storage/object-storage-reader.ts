import { AwsClient } from "aws4fetch";

import { DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import { MINUTE_MS, timeIn } from "../../core/time.ts";
import { trimEnd } from "../../core/trim.ts";
import { yieldNow, runCooperatively } from "../../core/work/cooperative.ts";
import {
  missingFile,
  SourceFailure,
  type ListedFile,
  type OpenedFile,
  type SourceReader,
  type KnownFiles,
} from "../../ports/source-reader.ts";
import { clocksDiffer, skewOf } from "../clock-skew.ts";
import {
  guardedFetch,
  openResponse,
  readText,
  retryAfterMs,
  tooLarge,
  type GuardedRequest,
  type GuardedResponse,
  type FetchClient,
} from "../guarded-fetch.ts";
import { folderPrefix, withOwnPaths } from "../listed-file-from-object.ts";
import type { SourceTools } from "../source-manifest.ts";
import { filesOf, listingHeaders, MARKER, NOT_RESTORED, parseListing } from "./object-listing.ts";
import { READERS, addReaders } from "./object-readers.ts";
import type { ObjectStorageConfig, ObjectStorageSecrets } from "./object-storage-config.ts";

const DEFAULT_PAGE_SIZE = 1_000;
/** Each object that is new or changed costs a call. */
const PAGE_SIZE_WITH_READERS = 200;
/** 1,000 keys of 1,024 characters, each three bytes long when encoded, with their fields. */
const LISTING_LIMIT_BYTES = 8 * 1_024 * 1_024;
const DOWNLOAD_TIMEOUT_MS = 2 * MINUTE_MS;

type ObjectStorageOptions = Pick<SourceTools, "outgoing" | "now"> & {
  /** Keys a page, 1 to 1,000. */
  pageSize?: number;
  /** Whether to list who may read the objects; `known` has what earlier scans read. */
  readsPermissions?: boolean;
  known: Pick<KnownFiles, "byPath" | "byExternalId">;
};

/** Any vendor's ListObjects and GetObject, signed with version 4. The cursor is S3's token. */
export function objectStorageReader(
  config: ObjectStorageConfig,
  secrets: ObjectStorageSecrets,
  options: ObjectStorageOptions,
): SourceReader {
  const { outgoing, now, known: knownFiles, readsPermissions = false } = options;
  const { pageSize = readsPermissions ? PAGE_SIZE_WITH_READERS : DEFAULT_PAGE_SIZE } = options;
  const prefix = folderPrefix(config.prefix);
  const get = createSignedGet(signerOf(config, secrets), outgoing);
  const { endpoint } = config;
  const headers = listingHeaders(endpoint);

  const listPage = async (cursor: string | null, keys: number, signal: AbortSignal) => {
    const got = await get(listingUrl(config, prefix, cursor, keys), signal, { headers });
    if (!got.response.ok) throw await storageFailure(got, now(), NOT_LISTED);
    const limits = { callers: signal, limitBytes: LISTING_LIMIT_BYTES };
    const listing = await runCooperatively(parseListing(await readText(got, limits)), yieldNow);
    if (listing === null) throw brokenListing("the answer is not a complete listing");
    return listing;
  };

  return {
    async check(signal) {
      const { objects } = await listPage(null, 1, signal);
      const isEmpty = prefix === "" ? ", and it is empty" : `, and no key begins with ${prefix}`;
      const which = objects.length === 0 ? isEmpty : "";
      return `object storage: the bucket ${config.bucket} can be listed${which}`;
    },

    async list(cursor, signal) {
      const listing = await listPage(cursor, pageSize, signal);
      const next = listing.nextToken;
      if (next === "") throw brokenListing("it has no cursor for the next page");
      const earlierFiles = readsPermissions ? knownFiles : null;
      const page = await filesOf(listing, { prefix, endpoint, earlierFiles });
      const { files: listed, archivedFiles, ...rest } = page;
      const files = [...(await withOwnPaths(listed, knownFiles)), ...archivedFiles];
      const metadataOf = async (file: ListedFile) => {
        const got = await get(objectUrl(config, keyOf(prefix, file)), signal, { isHead: true });
        if (got.response.ok) return got.response.headers.get(`x-amz-meta-${READERS}`);
        throw await storageFailure(got, now());
      };
      const withPrincipals = readsPermissions
        ? await addReaders(files, { known: knownFiles, metadataOf, now })
        : files;
      return { files: withPrincipals, deleted: [], ...rest, next };
    },

    async open(file, signal) {
      if (file.size > DOCUMENT_LIMIT_BYTES) throw tooLarge(DOCUMENT_LIMIT_BYTES);
      const got = await get(objectUrl(config, keyOf(prefix, file)), signal, {
        timeoutMs: DOWNLOAD_TIMEOUT_MS,
      });
      return await openObject(got, now());
    },
  };
}

/** @throws SourceFailure */
async function openObject(got: GuardedResponse, now: number): Promise<OpenedFile> {
  const { ok, status, headers } = got.response;
  if (ok) return await openResponse(got, headers.get("content-type"));
  const failure = await storageFailure(got, now);
  // A bucket that does not exist is a denial.
  if (status === 404 && failure.kind !== "denied") throw missingFile(failure.message);
  throw failure;
}

type GetOptions = Pick<GuardedRequest, "timeoutMs" | "isHead"> & {
  headers?: Record<string, string>;
};

const createSignedGet =
  (client: AwsClient, outgoing: FetchClient) =>
  async (url: URL, signal: AbortSignal, { headers: extra = {}, ...how }: GetOptions = {}) => {
    const method = how.isHead === true ? "HEAD" : "GET";
    const signed = await client.sign(url.href, { method, headers: extra });
    const headers = Object.fromEntries(signed.headers);
    // A signature is for one address: a redirect is an error, not followed.
    const request = { headers, signal, maxRedirects: 0 };
    return await guardedFetch(outgoing, url.href, { ...request, ...how });
  };

function signerOf({ region }: ObjectStorageConfig, secrets: ObjectStorageSecrets): AwsClient {
  const { sessionToken, ...keys } = secrets;
  const session = sessionToken === undefined ? {} : { sessionToken };
  return new AwsClient({ ...keys, ...session, region, service: "s3", retries: 0 });
}

const brokenListing = (why: string) =>
  new SourceFailure("down", `object storage: broken listing, ${why}`);

const keyOf = (prefix: string, file: ListedFile) => file.externalId ?? `${prefix}${file.path}`;

function bucketUrl({ endpoint, bucket, pathStyle }: ObjectStorageConfig): string {
  const server = trimEnd(endpoint, "/");
  // Cloudflare shows the address of R2 with the bucket behind it.
  if (new URL(server).pathname === `/${encodeURIComponent(bucket)}`) return server;
  if (pathStyle) return `${server}/${encodeURIComponent(bucket)}`;
  return server.replace("://", `://${bucket}.`);
}

function listingUrl(
  config: ObjectStorageConfig,
  prefix: string,
  cursor: string | null,
  pageSize: number,
): URL {
  const url = new URL(bucketUrl(config));
  url.searchParams.set("list-type", "2");
  url.searchParams.set("encoding-type", "url");
  url.searchParams.set("max-keys", String(pageSize));
  if (prefix !== "") url.searchParams.set("prefix", prefix);
  if (cursor?.startsWith(MARKER) === true) {
    url.searchParams.set("marker", cursor.slice(MARKER.length));
  } else if (cursor !== null) url.searchParams.set("continuation-token", cursor);
  return url;
}

/** Everything is percent-encoded but `/`: the signer reads a bare `+` as a space. */
function encodedKey(key: string): string {
  const hexEscape = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(key)
    .replaceAll("%2F", "/")
    .replace(/[!'()*]/g, hexEscape);
}

/** @throws SourceFailure `bad-file` for a key with a `.` or `..` segment: no URL can name it. */
function objectUrl(config: ObjectStorageConfig, key: string): URL {
  const text = `${bucketUrl(config)}/${encodedKey(key)}`;
  const url = new URL(text);
  if (url.href.endsWith(`/${encodedKey(key)}`)) return url;
  throw new SourceFailure("bad-file", "the key has a segment . or .. and cannot be addressed");
}

const ERROR_BODY_LIMIT_BYTES = 65_536;

/** Explains a vendor's code to the person who set the source up. */
const DENIALS = new Map([
  ["ExpiredToken", "the credentials have expired"],
  ["TokenRefreshRequired", "the credentials have expired"],
  ["RequestExpired", "the credentials have expired"],
  ["InvalidToken", "the session token is not valid"],
  ["InvalidAccessKeyId", "the access key is not known"],
  ["SignatureDoesNotMatch", "the secret access key is wrong"],
  ["AccessDenied", "access denied"],
  ["AllAccessDisabled", "access denied"],
  ["NoSuchBucket", "the bucket does not exist"],
  ["PermanentRedirect", "the bucket is at another endpoint or region"],
  ["AuthorizationHeaderMalformed", "the region is wrong"],
  ["IllegalLocationConstraintException", "the region is wrong"],
]);
const THROTTLES = new Set([
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "RequestLimitExceeded",
]);
/** A listing whose address is that of an object. */
const NOT_LISTED = new Map([
  ...DENIALS,
  ["NoSuchKey", "the endpoint names the bucket, too: leave it out there"],
]);
const ARCHIVED = "InvalidObjectState";

/** An answer that is no success as a failure of ours; reads its body. */
async function storageFailure(
  got: GuardedResponse,
  nowMs: number,
  denials: ReadonlyMap<string, string> = DENIALS,
): Promise<SourceFailure> {
  const { status, headers } = got.response;
  const text = await readText(got, { limitBytes: ERROR_BODY_LIMIT_BYTES }).catch(() => "");
  const code = errorField(text, "Code");
  const problem = `object storage: ${status}${code === "" ? missingBucket(status) : ` ${code}`}`;
  const wait = retryAfterMs(headers, nowMs);
  const denial = denials.get(code) ?? skewBetween(code, got, text, nowMs) ?? denialReason(status);
  if (status === 429 || status === 503 || THROTTLES.has(code)) {
    return new SourceFailure("throttled", problem, wait);
  }
  if (code === ARCHIVED) return new SourceFailure("denied", NOT_RESTORED);
  return denial === undefined
    ? new SourceFailure("down", problem, wait)
    : new SourceFailure("denied", `${problem}: ${denial}`);
}

/** Signatures are refused from a quarter of an hour of difference on. */
const MAX_SKEW_MS = 15 * MINUTE_MS;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html: an answer to HEAD has no code. */
function skewBetween(code: string, { response }: GuardedResponse, text: string, nowMs: number) {
  const serverTime = timeIn(errorField(text, "ServerTime"));
  const skewMs = serverTime === null ? skewOf(response, nowMs) : Math.abs(nowMs - serverTime);
  const isSkewed =
    code === "RequestTimeTooSkewed" ||
    (response.status === 403 && code === "" && skewMs > MAX_SKEW_MS);
  return isSkewed ? clocksDiffer("the storage", skewMs) : undefined;
}

/** Consoles and web servers, which may answer at an endpoint, give no code of S3. */
const missingBucket = (status: number) => (status === 404 ? ", and no bucket answers there" : "");

function denialReason(status: number): string | undefined {
  if (status === 401 || status === 403) return "access denied";
  return status >= 300 && status < 400 ? DENIALS.get("PermanentRedirect") : undefined;
}

/** A field of an error answer; empty when it has none. Codes and times are never secrets. */
const errorField = (xml: string, name: keyof typeof ERROR_FIELDS) =>
  ERROR_FIELDS[name].exec(xml)?.[1] ?? "";

const ERROR_FIELDS = {
  Code: /<Code>\s*([A-Za-z0-9.:+-]{1,64})\s*<\/Code>/,
  ServerTime: /<ServerTime>\s*([A-Za-z0-9.:+-]{1,64})\s*<\/ServerTime>/,
};
