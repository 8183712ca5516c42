import { createPrivateKey } from "node:crypto";
import { z } from "zod";

import { MINUTE_MS, SECOND_MS, type Now } from "../../core/time.ts";
import { accessTokens, fixedToken, signJwt, type TokenService } from "../access-tokens.ts";
import { ApiClient, type Api, type ApiError, type Connection } from "../api-client.ts";
import type { GithubCredentials } from "./github-config.ts";

/** A recursive tree has 7 MB at most, and so have 100 issues with the longest texts. */
const ANSWER_LIMIT_BYTES = 16 * 1_024 * 1_024;
/** https://docs.github.com/rest/using-the-rest-api/getting-started-with-the-rest-api */
const VERSION = { "x-github-api-version": "2022-11-28", "user-agent": "Quarry" };
const HEADERS = { ...VERSION, accept: "application/vnd.github+json" };
/** For the bytes of a blob. */
export const RAW = { accept: "application/vnd.github.raw+json" };
export const PER_PAGE = 100;

/** Both of GitHub's APIs; `baseUrl` is where the paths of the first begin. */
export function githubApis(
  baseUrl: string,
  credentials: GithubCredentials,
  { outgoing, now }: Omit<Connection, "tokens">,
): { rest: Api; graphql: Api } {
  const tokens =
    "token" in credentials
      ? fixedToken(credentials.token)
      : accessTokens(installationTokens(credentials, baseUrl, now), outgoing, now);
  const limits = { name: "GitHub", answerLimitBytes: ANSWER_LIMIT_BYTES, headers: HEADERS };
  const remedyFor = ({ status }: ApiError) => REMEDIES.get(status);
  const throttling = { isThrottle, throttleMs: MINUTE_MS };
  const provider = { ...limits, baseUrl, codeIn, ...throttling, remedyFor };
  // An Enterprise Server has its REST API at /api/v3 and the other one at /api/graphql.
  const graph = { ...provider, baseUrl: baseUrl.replace(/\/v3$/, "") };
  const connection = { outgoing, now, tokens };
  return {
    rest: (signal) => new ApiClient(provider, connection, signal),
    graphql: (signal) => new ApiClient(graph, connection, signal),
  };
}

const errorBody = z.object({ message: z.string() });

/** Only words that tell refusals apart are repeated. */
const codeIn = (body: unknown) =>
  /rate limit|abuse|SAML|not accessible|access blocked/i.exec(
    errorBody.safeParse(body).data?.message ?? "",
  )?.[0] ?? "";

const REMEDIES = new Map([
  [401, "the credential is wrong, expired or revoked"],
  [403, "the credential lacks a read permission, or the owner's approval or single sign-on"],
  [404, "there is no such thing, or the credential may not see it"],
]);

/** https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
const isThrottle = ({ status, code, retryAfterMs: wait }: ApiError) =>
  code === "rate limit" || code === "abuse" || (status === 403 && wait !== null);

export const BLOCKED = 451;
/** A repository that broke GitHub's terms is a refusal, whose message alone tells it from others. */
export const statusOf = ({ status, code }: ApiError) =>
  code === "access blocked" ? BLOCKED : status;

type GithubApp = Exclude<GithubCredentials, { token: string }>;
/** https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app */
const ASSERTION_MS = 9 * MINUTE_MS;
const granted = z.object({ token: z.string(), expires_at: z.string() });

function installationTokens(app: GithubApp, baseUrl: string, now: Now): TokenService {
  const { appId, installationId: installation } = app;
  return {
    name: "GitHub",
    isSigned: true,
    address: `${baseUrl}/app/installations/${installation}/access_tokens`,
    form: async () => ({}),
    headers: async () => ({
      ...HEADERS,
      authorization: `Bearer ${await signAppJwt(app, now())}`,
    }),
    answer: granted.transform(({ token, expires_at: end }) => ({
      access_token: token,
      expires_in: (Date.parse(end) - now()) / SECOND_MS,
    })),
    explain: (status) =>
      `${status}: app ${appId} with installation ${installation} is refused: check ids and key`,
  };
}

async function signAppJwt({ appId, privateKey }: GithubApp, nowMs: number): Promise<string> {
  // GitHub refuses a time that is ahead of its clock.
  const iat = Math.floor((nowMs - MINUTE_MS) / SECOND_MS);
  const claims = { iss: appId, iat, exp: iat + ASSERTION_MS / SECOND_MS };
  // GitHub's keys are PKCS #1.
  const key = () => createPrivateKey(privateKey).export({ type: "pkcs8", format: "pem" });
  const complaint = "GitHub: privateKey cannot be read: paste the whole PEM file";
  return await signJwt(claims, { key: () => String(key()), complaint });
}
