import { z } from "zod";

import { isObject } from "../../core/is-object.ts";
import { MINUTE_MS, SECOND_MS, type Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { accessTokens, signJwt, type TokenService } from "../access-tokens.ts";
import { ApiClient, withoutSlash, type Api, type ApiError } from "../api-client.ts";
import type { FetchClient } from "../guarded-fetch.ts";
import type { ServiceAccount } from "./google-drive-config.ts";

const SCOPES = "https://www.googleapis.com/auth";
/*
 * https://developers.google.com/workspace/drive/api/reference/rest/v3
 * https://developers.google.com/workspace/admin/directory/reference/rest/v1
 */
const APIS = {
  drive: {
    name: "Google Drive",
    host: "https://www.googleapis.com",
    path: "drive/v3",
    scope: `${SCOPES}/drive.readonly`,
    /** 1,000 files with long names, owners and labels. */
    answerLimitBytes: 8 * 1_024 * 1_024,
  },
  directory: {
    name: "Google Directory",
    host: "https://admin.googleapis.com",
    path: "admin/directory/v1",
    scope: `${SCOPES}/admin.directory.group.member.readonly`,
    answerLimitBytes: 1_024 * 1_024,
  },
};

type GoogleApp = {
  outgoing: FetchClient;
  now: Now;
  account: ServiceAccount;
  /** The user for whom a service account with domain-wide delegation acts. */
  subject: string | undefined;
  apiBaseUrl: string | undefined;
};

/** `remedy`: what to do when the API refuses and gives no other reason. */
export function googleApi(api: keyof typeof APIS, app: GoogleApp, remedy: string): Api {
  const { host, path, scope, ...rest } = APIS[api];
  const { outgoing, now, account, subject, apiBaseUrl } = app;
  const provider = {
    ...rest,
    baseUrl: `${withoutSlash(apiBaseUrl ?? host)}/${path}`,
    codeIn: reasonIn,
    isThrottle: ({ code }: ApiError) => THROTTLES.has(code),
    remedyFor: (error: ApiError) => remedyFor(error, remedy),
  };
  const tokens = accessTokens(googleTokens(account, { subject, scope }, now), outgoing, now);
  return (signal) => new ApiClient(provider, { outgoing, now, tokens }, signal);
}

/** A page of a listing, whose items Google calls `name`. */
export const pageOf = <Item>(name: string, items: z.ZodType<Item[]>) =>
  z.preprocess(
    (body) => (isObject(body) ? { items: body[name], next: body["nextPageToken"] } : body),
    z.object({ items, next: z.string().nullable().default(null) }),
  );

/** https://developers.google.com/workspace/drive/api/guides/handle-errors, https://cloud.google.com/apis/design/errors */
const errorBody = z.object({
  error: z.object({
    errors: z.array(z.object({ reason: z.string() })).optional(),
    details: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
});

const THROTTLES = new Set([
  "userRateLimitExceeded",
  "rateLimitExceeded",
  "dailyLimitExceeded",
  "sharingRateLimitExceeded",
  "quotaExceeded",
  "RATE_LIMIT_EXCEEDED",
]);

/** Reasons why one file cannot be read, in words for its owner. */
const FILE_REASONS = new Map([
  ["exportSizeLimitExceeded", "Google exports documents of at most 10 MB"],
  ["cannotDownloadFile", "its owner does not allow downloads"],
  ["cannotDownloadAbusiveFile", "Google marks it as malware or spam"],
  ["cannotExportFile", "its owner does not allow downloads"],
  ["fileNotDownloadable", "Google has no file of it to download"],
  ["fileNotExportable", "Google does not export it"],
]);

const DENIALS = new Map([
  ["accessNotConfigured", "the Drive API is not enabled in the service account's project"],
  ["SERVICE_DISABLED", "the Drive API is not enabled in the service account's project"],
  ["downloadQuotaExceeded", "it was downloaded too often; Google allows it again within a day"],
  ["domainPolicy", "the domain's policy forbids it"],
  ["insufficientPermissions", "the access token lacks the scope drive.readonly"],
  ["teamDriveMembershipRequired", "the service account is no member of the shared drive"],
  ["authError", "the access token is refused"],
]);

const reasonIn = (body: unknown): string => {
  const { errors = [], details = [] } = errorBody.safeParse(body).data?.error ?? {};
  return [...errors, ...details].find(({ reason }) => reason !== undefined)?.reason ?? "";
};

function remedyFor({ status, code: reason }: ApiError, refusal: string) {
  const ofFile = FILE_REASONS.get(reason);
  if (ofFile !== undefined) return new SourceFailure("bad-file", `Google Drive: ${ofFile}`);
  if (status === 401) return DENIALS.get(reason) ?? "the access token is refused";
  return DENIALS.get(reason) ?? (status === 403 || status === 404 ? refusal : undefined);
}

/** https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
const TOKEN_URI = "https://oauth2.googleapis.com/token";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** The longest that Google accepts. */
const ASSERTION_MS = 60 * MINUTE_MS;

const failure = z.object({ error: z.string() });

type TokenRequest = { subject: string | undefined; scope: string };

function googleTokens(account: ServiceAccount, access: TokenRequest, now: Now): TokenService {
  const address = account.token_uri ?? TOKEN_URI;
  return {
    name: "Google",
    address,
    isSigned: true,
    form: async () => ({
      grant_type: GRANT_TYPE,
      assertion: await signAssertion(account, { ...access, audience: address }, now()),
    }),
    explain: (status, answer) => refusal(status, answer, account.client_email, access),
  };
}

async function signAssertion(
  account: ServiceAccount,
  { subject, scope, audience }: TokenRequest & { audience: string },
  nowMs: number,
): Promise<string> {
  const { client_email: iss, private_key_id: kid, private_key: key } = account;
  const iat = Math.floor(nowMs / SECOND_MS);
  const claims = { iss, aud: audience, scope, iat, exp: iat + ASSERTION_MS / SECOND_MS };
  const all = { ...claims, ...(subject !== undefined && { sub: subject }) };
  const complaint =
    "the service account's private_key cannot be read: paste the whole key file again";
  const header = async () => ({ ...(kid !== undefined && { kid }) });
  return await signJwt(all, { key: () => key, complaint, header });
}

function refusal(status: number, answer: unknown, who: string, { subject, scope }: TokenRequest) {
  const code = failure.safeParse(answer).data?.error ?? "";
  if (code === "unauthorized_client" || code === "access_denied") {
    return `${who} may not act for ${subject ?? "another user"}: allow it the scope ${scope}`;
  }
  if (code === "invalid_grant") {
    return subject === undefined
      ? `the key of ${who} is refused: it was deleted or disabled, or belongs to another account`
      : `the key of ${who} is refused, or there is no user ${subject}`;
  }
  return `${status}${code === "" ? "" : ` ${code}`}: the service account is refused`;
}
