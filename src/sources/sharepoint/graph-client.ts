import type { Now } from "../../core/time.ts";
import type { AccessTokens } from "../access-tokens.ts";
import { ApiClient } from "../api-client.ts";
import type { Outgoing } from "../guarded-fetch.ts";
import { codeIn, graphFailure } from "./graph-failure.ts";

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
};

/** Calls of Graph v1.0. */
export function graphClient({ apiBaseUrl, remedy, ...connection }: GraphClientOptions): ApiClient {
  const provider = {
    name: "SharePoint",
    baseUrl: `${apiBaseUrl}/v1.0`,
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    headers: { "user-agent": USER_AGENT },
    codeIn,
    explain: (error: Parameters<typeof graphFailure>[0]) => graphFailure(error, remedy),
  };
  return new ApiClient(provider, connection);
}
