import { z } from "zod";

import type { Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { AccessTokens } from "../access-tokens.ts";
import { ApiClient, type ApiError } from "../api-client.ts";
import type { Outgoing } from "../guarded-fetch.ts";

/*
 * https://developers.google.com/workspace/drive/api/reference/rest/v3
 */
const API_BASE_URL = "https://www.googleapis.com";
/** 1,000 files with long names, owners and labels. */
const ANSWER_LIMIT_BYTES = 8 * 1_024 * 1_024;

type DriveClientOptions = {
  outgoing: Outgoing;
  now: Now;
  tokens: AccessTokens;
  apiBaseUrl: string | undefined;
  /** What to do when Drive refuses and gives no other reason. */
  remedy: string;
};

/** Calls of Drive v3. */
export function driveClient({ apiBaseUrl, remedy, ...connection }: DriveClientOptions): ApiClient {
  const provider = {
    name: "Google Drive",
    baseUrl: `${new URL(apiBaseUrl ?? API_BASE_URL).href.replace(/\/$/, "")}/drive/v3`,
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    codeIn: reasonIn,
    explain: (error: ApiError) => driveFailure(error, remedy),
  };
  return new ApiClient(provider, connection);
}

/*
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
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

/** The reason of an error answer. */
const reasonIn = (body: unknown): string =>
  errorBody.safeParse(body).data?.error.errors?.[0]?.reason ?? "";

/** The failure that an error of Drive's is; `refused`: what to do where nothing more is known. */
function driveFailure(
  { status, code: reason, retryAfterMs: wait }: ApiError,
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
