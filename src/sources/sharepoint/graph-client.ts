import { z } from "zod";

import type { Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { AccessTokens } from "../access-tokens.ts";
import { ApiClient, type ApiError } from "../api-client.ts";
import type { Outgoing } from "../guarded-fetch.ts";

/*
 * https://learn.microsoft.com/graph/use-the-api
 */
export const API_BASE_URL = "https://graph.microsoft.com";
/** 500 items with long names and addresses. */
const ANSWER_LIMIT_BYTES = 16 * 1_024 * 1_024;
/** SharePoint asks for this form, and throttles undecorated traffic first. */
const USER_AGENT = "NONISV|Quarry|Quarry/1.0";

type GraphClientOptions = {
  outgoing: Outgoing;
  now: Now;
  tokens: AccessTokens;
  /** Without a trailing slash. */
  apiBaseUrl: string;
  /** What to do when Graph refuses access. */
  remedy: string;
  /** Sent with each call. */
  prefer?: string;
};

/** Calls of Graph v1.0. */
export function graphClient({
  apiBaseUrl,
  remedy,
  prefer,
  ...connection
}: GraphClientOptions): ApiClient {
  const provider = {
    name: "SharePoint",
    baseUrl: `${apiBaseUrl}/v1.0`,
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    headers: { "user-agent": USER_AGENT, ...(prefer === undefined ? {} : { prefer }) },
    codeIn,
    explain: (error: ApiError) => graphFailure(error, remedy),
  };
  return new ApiClient(provider, connection);
}

/*
 * https://learn.microsoft.com/graph/errors
 * https://learn.microsoft.com/sharepoint/dev/general-development/how-to-avoid-getting-throttled-or-blocked-in-sharepoint-online
 */
const CODE_MAX_LENGTH = 60;
const errorBody = z.object({ error: z.object({ code: z.string().optional() }) });

/** The code of an error answer. A code is a word; anything else that stands there is not repeated. */
function codeIn(body: unknown): string {
  const code = errorBody.safeParse(body).data?.error.code ?? "";
  return /^[\w.]+$/.test(code) ? code.slice(0, CODE_MAX_LENGTH) : "";
}

/** SharePoint asks to wait with both, and counts what comes before the time it names. */
const isThrottle = ({ status, code }: ApiError) =>
  status === 429 || status === 503 || code === "activityLimitReached";

/** The failure that an error of Graph's is; `remedy`: what to do when access is refused. */
function graphFailure(error: ApiError, remedy: string): SourceFailure {
  const { status, code, retryAfterMs: wait } = error;
  const told = `SharePoint: ${status}${code === "" ? "" : ` ${code}`}`;
  if (isThrottle(error)) return new SourceFailure("throttled", told, wait);
  if (status === 401) {
    const needed = "add the application permission Sites.Selected and grant admin consent";
    return new SourceFailure("denied", `${told}: the app may not use SharePoint: ${needed}`);
  }
  if (status === 423) return new SourceFailure("denied", `${told}: the site is locked`);
  if (status === 403 || status === 404) return new SourceFailure("denied", `${told}: ${remedy}`);
  return new SourceFailure("down", told, wait);
}
