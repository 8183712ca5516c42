import { importPKCS8, SignJWT } from "jose";
import { z } from "zod";

import { parsedJson } from "../../core/parsed-json.ts";
import { MINUTE_MS, SECOND_MS, type Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { cachedTokens, type AccessToken, type AccessTokens } from "../access-tokens.ts";
import { guardedFetch, readBytes, type Outgoing } from "../guarded-fetch.ts";
import type { ServiceAccount } from "./google-drive-config.ts";

/*
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
const SCOPE = "https://www.googleapis.com/auth/drive.readonly";
const TOKEN_URI = "https://oauth2.googleapis.com/token";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** The longest that Google accepts. */
const ASSERTION_MS = 60 * MINUTE_MS;
const ANSWER_LIMIT_BYTES = 65_536;

const granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const refused = z.object({ error: z.string(), error_description: z.string().optional() });

export type TokenRequest = { account: ServiceAccount; subject: string | undefined };

/**
 * Access tokens of a service account.
 * @throws SourceFailure `denied` when the key or the delegation is refused, else `down`
 */
export function accessTokens(request: TokenRequest, outgoing: Outgoing, now: Now): AccessTokens {
  return cachedTokens(
    async (signal) => await requestToken(request, { outgoing, now, signal }),
    now,
  );
}

async function requestToken(
  { account, subject }: TokenRequest,
  { outgoing, now, signal }: { outgoing: Outgoing; now: Now; signal: AbortSignal },
): Promise<AccessToken> {
  const uri = account.token_uri ?? TOKEN_URI;
  const assertion = await signAssertion(account, subject, uri, now());
  const got = await guardedFetch(outgoing, uri, {
    post: { body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString() },
    headers: { "content-type": "application/x-www-form-urlencoded" },
    signal,
  });
  const bytes = await readBytes(got, { callers: signal, limitBytes: ANSWER_LIMIT_BYTES });
  const answer = parsedJson(new TextDecoder().decode(bytes));
  if (!got.response.ok) throw tokenRefusal(got.response.status, answer, { account, subject });
  const token = granted.safeParse(answer);
  if (!token.success) throw new SourceFailure("down", "Google: no access token in the answer");
  const { access_token: value, expires_in: seconds } = token.data;
  return { value, expiresAt: now() + seconds * SECOND_MS };
}

async function signAssertion(
  account: ServiceAccount,
  subject: string | undefined,
  audience: string,
  nowMs: number,
): Promise<string> {
  const issuedAt = Math.floor(nowMs / SECOND_MS);
  const jwt = new SignJWT({ scope: SCOPE })
    .setProtectedHeader({
      alg: "RS256",
      typ: "JWT",
      ...(account.private_key_id === undefined ? {} : { kid: account.private_key_id }),
    })
    .setIssuer(account.client_email)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_MS / SECOND_MS);
  if (subject !== undefined) jwt.setSubject(subject);
  try {
    return await jwt.sign(await importPKCS8(account.private_key, "RS256"));
  } catch {
    // What the library says may quote the key.
    throw new SourceFailure(
      "denied",
      "the service account's private_key cannot be read: paste the whole key file again",
    );
  }
}

/** What Google's code means to the one who set the source up. */
function tokenRefusal(
  status: number,
  answer: unknown,
  { account, subject }: TokenRequest,
): SourceFailure {
  const parsed = refused.safeParse(answer);
  const code = parsed.success ? parsed.data.error : "";
  if (status === 429 || status >= 500) {
    return new SourceFailure(status === 429 ? "throttled" : "down", `Google: token: ${status}`);
  }
  const who = account.client_email;
  if (code === "unauthorized_client" || code === "access_denied") {
    const whom = subject ?? "another user";
    return denied(`${who} may not act for ${whom}: allow it the scope ${SCOPE}`);
  }
  if (code === "invalid_grant") {
    return denied(
      subject === undefined
        ? `the key of ${who} is refused: it was deleted or disabled, or belongs to another account`
        : `the key of ${who} is refused, or there is no user ${subject}`,
    );
  }
  return denied(`${status}${code === "" ? "" : ` ${code}`}: the service account is refused`);
}

const denied = (message: string) => new SourceFailure("denied", `Google: ${message}`);
