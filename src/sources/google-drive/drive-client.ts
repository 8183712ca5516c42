import type { Now } from "../../core/time.ts";
import type { AccessTokens } from "../access-tokens.ts";
import { ApiClient } from "../api-client.ts";
import type { Outgoing } from "../guarded-fetch.ts";
import { driveFailure, reasonIn } from "./drive-failure.ts";

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
    explain: (error: Parameters<typeof driveFailure>[0]) => driveFailure(error, remedy),
  };
  return new ApiClient(provider, connection);
}
