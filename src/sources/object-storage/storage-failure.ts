import { SourceFailure } from "../../ports/source-reader.ts";
import { readBytes, retryAfterMs, type GuardedResponse } from "../guarded-fetch.ts";
import { errorCode } from "./parse-listing.ts";

const ERROR_BODY_LIMIT_BYTES = 65_536;

/** What a vendor's code means to the one who set the source up. */
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
]);
const THROTTLES = new Set([
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "RequestLimitExceeded",
]);
const ARCHIVED = "InvalidObjectState";

/** An answer that is no success as a failure of ours; reads its body. */
export async function storageFailure(got: GuardedResponse, nowMs: number): Promise<SourceFailure> {
  const { status, headers } = got.response;
  const body = await readBytes(got, { limitBytes: ERROR_BODY_LIMIT_BYTES }).catch(() => null);
  const code = body === null ? "" : errorCode(new TextDecoder().decode(body));
  const told = `object storage: ${status}${code === "" ? unnamed(status) : ` ${code}`}`;
  const wait = retryAfterMs(headers, nowMs);
  const denial = DENIALS.get(code) ?? deniedBy(status);
  if (status === 429 || status === 503 || THROTTLES.has(code)) {
    return new SourceFailure("throttled", told, wait);
  }
  if (code === ARCHIVED) return new SourceFailure("bad-file", "the object is archived");
  return denial === undefined
    ? new SourceFailure("down", told, wait)
    : new SourceFailure("denied", `${told}: ${denial}`);
}

/** What else answers at an endpoint, a console or a web server, gives no code of S3. */
const unnamed = (status: number) => (status === 404 ? ", and no bucket answers there" : "");

function deniedBy(status: number): string | undefined {
  if (status === 401 || status === 403) return "access denied";
  return status >= 300 && status < 400 ? DENIALS.get("PermanentRedirect") : undefined;
}
