import { z } from "zod";

import { SourceFailure } from "../../ports/source-reader.ts";
import { readBytes, retryAfterMs, type GuardedResponse } from "../guarded-fetch.ts";

/*
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
const ERROR_BODY_LIMIT_BYTES = 65_536;
const errorBody = z.object({
  error: z.object({
    message: z.string().optional(),
    errors: z.array(z.object({ reason: z.string() })).optional(),
  }),
});

const THROTTLES = new Set([
  "userRateLimitExceeded",
  "rateLimitExceeded",
  "dailyLimitExceeded",
  "sharingRateLimitExceeded",
  "quotaExceeded",
]);

/** What one file cannot be had for, in the words of the one who owns it. */
const FILE_REASONS = new Map([
  ["exportSizeLimitExceeded", "Google exports documents of at most 10 MB"],
  ["cannotDownloadFile", "its owner does not let readers download it"],
  ["cannotDownloadAbusiveFile", "Google marks it as malware or spam"],
  ["cannotExportFile", "its owner does not let readers download it"],
  ["fileNotDownloadable", "Google has no file of it to download"],
  ["fileNotExportable", "Google does not export it"],
]);

/** What everything is refused for. */
const DENIALS = new Map([
  ["accessNotConfigured", "the Drive API is not enabled in the service account's project"],
  ["SERVICE_DISABLED", "the Drive API is not enabled in the service account's project"],
  ["domainPolicy", "the domain's policy forbids it"],
  ["insufficientPermissions", "the access token lacks the scope drive.readonly"],
  ["teamDriveMembershipRequired", "the service account is no member of the shared drive"],
  ["authError", "the access token is refused"],
]);

export type DriveError = { status: number; reason: string; retryAfterMs: number | null };

/** Status and reason of an answer that is no success; reads its body. */
export async function driveError(got: GuardedResponse, nowMs: number): Promise<DriveError> {
  const { status, headers } = got.response;
  const bytes = await readBytes(got, { limitBytes: ERROR_BODY_LIMIT_BYTES }).catch(() => null);
  return {
    status,
    reason: bytes === null ? "" : reasonIn(new TextDecoder().decode(bytes)),
    retryAfterMs: retryAfterMs(headers, nowMs),
  };
}

function reasonIn(text: string): string {
  try {
    const parsed = errorBody.safeParse(JSON.parse(text));
    return parsed.success ? (parsed.data.error.errors?.[0]?.reason ?? "") : "";
  } catch {
    return "";
  }
}

/** The failure that an error of Drive's is; `refused`: what to do where nothing more is known. */
export function driveFailure(
  { status, reason, retryAfterMs: wait }: DriveError,
  refused: string,
): SourceFailure {
  const told = `Google Drive: ${status}${reason === "" ? "" : ` ${reason}`}`;
  if (status === 429 || THROTTLES.has(reason)) return new SourceFailure("throttled", told, wait);
  const ofFile = FILE_REASONS.get(reason);
  if (ofFile !== undefined) return new SourceFailure("bad-file", `Google Drive: ${ofFile}`);
  const denial = DENIALS.get(reason);
  if (denial !== undefined) return new SourceFailure("denied", `${told}: ${denial}`);
  if (status === 401) return new SourceFailure("denied", `${told}: the access token is refused`);
  if (status === 403 || status === 404) return new SourceFailure("denied", `${told}: ${refused}`);
  return new SourceFailure("down", told, wait);
}
