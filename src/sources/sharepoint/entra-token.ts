import { z } from "zod";

import { parsedJson } from "../../core/parsed-json.ts";
import { SECOND_MS, type Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { cachedTokens, type AccessToken, type AccessTokens } from "../access-tokens.ts";
import { guardedFetch, readBytes, retryAfterMs, type Outgoing } from "../guarded-fetch.ts";
import { clientAssertion, isCertificate } from "./client-assertion.ts";

/*
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 * https://learn.microsoft.com/entra/identity-platform/reference-error-codes
 */
const LOGIN_BASE_URL = "https://login.microsoftonline.com";
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ANSWER_LIMIT_BYTES = 65_536;

const granted = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number() });
const refused = z.object({
  error: z.string(),
  error_codes: z.array(z.number()).optional(),
});

export type EntraApp = {
  tenantId: string;
  clientId: string;
  clientSecret: string;
  loginBaseUrl: string | undefined;
  /** The API that the token is for, without a trailing slash. */
  apiBaseUrl: string;
};

/**
 * Access tokens of an app by its own credentials.
 * @throws SourceFailure `denied` that says what to do in Entra, else `throttled` or `down`
 */
export function entraTokens(app: EntraApp, outgoing: Outgoing, now: Now): AccessTokens {
  return cachedTokens(async (signal) => await requestToken(app, { outgoing, now, signal }), now);
}

async function requestToken(
  app: EntraApp,
  { outgoing, now, signal }: { outgoing: Outgoing; now: Now; signal: AbortSignal },
): Promise<AccessToken> {
  const base = (app.loginBaseUrl ?? LOGIN_BASE_URL).replace(/\/$/, "");
  const address = `${base}/${app.tenantId}/oauth2/v2.0/token`;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: app.clientId,
    scope: `${app.apiBaseUrl}/.default`,
    ...(await credentialOf(app, address, now())),
  });
  const got = await guardedFetch(outgoing, address, {
    post: { body: form.toString() },
    headers: { "content-type": "application/x-www-form-urlencoded" },
    signal,
  });
  const bytes = await readBytes(got, { callers: signal, limitBytes: ANSWER_LIMIT_BYTES });
  const answer = parsedJson(new TextDecoder().decode(bytes));
  const { ok, status, headers } = got.response;
  if (!ok) throw tokenRefusal(status, answer, app, retryAfterMs(headers, now()));
  const token = granted.safeParse(answer);
  if (!token.success) throw failure("down", "no access token in the answer");
  const { access_token: value, expires_in: seconds } = token.data;
  return { value, expiresAt: now() + seconds * SECOND_MS };
}

async function credentialOf({ clientId, clientSecret }: EntraApp, audience: string, now: number) {
  if (!isCertificate(clientSecret)) return { client_secret: clientSecret };
  const client_assertion = await clientAssertion(clientSecret, { clientId, audience, now });
  return { client_assertion_type: ASSERTION_TYPE, client_assertion };
}

/** What to do about a refusal, by Entra's AADSTS number. */
const REMEDIES = new Map<number, (app: EntraApp) => string>([
  [7000222, ({ clientId }) => `the client secret of app ${clientId} has expired: make a new one`],
  [
    7000215,
    ({ clientId }) =>
      `the client secret of app ${clientId} is wrong: paste the secret's Value, not its Secret ID`,
  ],
  [
    700016,
    ({ clientId, tenantId }) =>
      `tenant ${tenantId} has no app ${clientId}: clientId is the Application (client) ID, and the app must be of this tenant`,
  ],
  [
    90002,
    ({ tenantId }) => `there is no tenant ${tenantId}: tenantId is the Directory (tenant) ID`,
  ],
  [
    900023,
    ({ tenantId }) => `there is no tenant ${tenantId}: tenantId is the Directory (tenant) ID`,
  ],
  [
    700027,
    ({ clientId }) =>
      `the certificate is not registered with app ${clientId}, or has expired: upload it under Certificates & secrets`,
  ],
  [
    7000112,
    ({ clientId }) => `app ${clientId} is disabled: enable it under Enterprise applications`,
  ],
  [53003, ({ clientId }) => `a Conditional Access policy refuses app ${clientId}`],
]);

function tokenRefusal(
  status: number,
  answer: unknown,
  app: EntraApp,
  waitMs: number | null,
): SourceFailure {
  if (status === 429) return failure("throttled", "429 for the access token", waitMs);
  if (status >= 500) return failure("down", `${status} for the access token`, waitMs);
  const parsed = refused.safeParse(answer);
  const codes = parsed.success ? (parsed.data.error_codes ?? []) : [];
  const known = codes.find((code) => REMEDIES.has(code));
  const remedy = known === undefined ? undefined : REMEDIES.get(known)?.(app);
  const told = known ?? codes[0];
  const code = told === undefined ? `${status}` : `AADSTS${told}`;
  return failure("denied", `${code}: ${remedy ?? `app ${app.clientId} is refused`}`);
}

const failure = (
  kind: SourceFailure["kind"],
  message: string,
  waitMs: number | null = null,
): SourceFailure => new SourceFailure(kind, `Microsoft Entra: ${message}`, waitMs);
