import { importPKCS8, SignJWT } from "jose";
import { z } from "zod";

import { MINUTE_MS, SECOND_MS, type Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { TokenService } from "../access-tokens.ts";
import type { ServiceAccount } from "./google-drive-config.ts";

/*
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
const SCOPE = "https://www.googleapis.com/auth/drive.readonly";
const TOKEN_URI = "https://oauth2.googleapis.com/token";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** The longest that Google accepts. */
const ASSERTION_MS = 60 * MINUTE_MS;

const refused = z.object({ error: z.string() });

/** `subject`: the user for whom a service account with domain-wide delegation acts. */
export function googleTokens(
  account: ServiceAccount,
  subject: string | undefined,
  now: Now,
): TokenService {
  const address = account.token_uri ?? TOKEN_URI;
  return {
    name: "Google",
    address,
    form: async () => ({
      grant_type: GRANT_TYPE,
      assertion: await signAssertion(account, subject, address, now()),
    }),
    explain: (status, answer) => refusal(status, answer, account.client_email, subject),
  };
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

function refusal(
  status: number,
  answer: unknown,
  who: string,
  subject: string | undefined,
): string {
  const code = refused.safeParse(answer).data?.error ?? "";
  if (code === "unauthorized_client" || code === "access_denied") {
    return `${who} may not act for ${subject ?? "another user"}: allow it the scope ${SCOPE}`;
  }
  if (code === "invalid_grant") {
    return subject === undefined
      ? `the key of ${who} is refused: it was deleted or disabled, or belongs to another account`
      : `the key of ${who} is refused, or there is no user ${subject}`;
  }
  return `${status}${code === "" ? "" : ` ${code}`}: the service account is refused`;
}
