import { importPKCS8, SignJWT, type JWTPayload } from "jose";
import { z } from "zod";

import { parseJson } from "../core/input/parse-json.ts";
import { MINUTE_MS, SECOND_MS, type Now } from "../core/time.ts";
import { SourceFailure } from "../ports/source-reader.ts";
import { clocksDiffer, skewOf } from "./clock-skew.ts";
import { guardedFetch, readText, retryAfterMs, type FetchClient } from "./guarded-fetch.ts";

/** A token that is about to expire is not used any more. */
const MARGIN_MS = MINUTE_MS;
const ANSWER_LIMIT_BYTES = 65_536;

const granted = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive(),
});
type TokenGrant = z.infer<typeof granted>;

/** Where OAuth 2.0 access tokens are requested, and with what. */
export type TokenService = {
  /** As messages name it. */
  name: string;
  address: string;
  form: () => Promise<Record<string, string>>;
  /** Sent with the form, where they and not the form prove who asks. */
  headers?: () => Promise<Record<string, string>>;
  /** Reads an answer that has another form than OAuth's. */
  answer?: z.ZodType<TokenGrant>;
  /** Whether it is proven by a signature, which holds for minutes. */
  isSigned?: boolean;
  /** Explains a refusal to the person who set the source up. */
  explain: (status: number, answer: unknown) => string;
};

export type AccessTokens = {
  /** The scheme of the authorization; absent: Bearer. */
  scheme?: "Basic";
  /** The header that has the token alone, in place of `Authorization`. */
  header?: string;
  get(signal: AbortSignal): Promise<string>;
  /** Forgets a token that was refused; absent: there is no other. */
  renew?(): void;
};

/** Credentials that a person made and that serve as they are. */
export const fixedToken = (token: string, header?: string): AccessTokens => ({
  get: async () => token,
  ...(header !== undefined && { header }),
});

/** HTTP Basic, https://www.rfc-editor.org/rfc/rfc7617 */
export function basicCredentials(user: string, password: string): AccessTokens {
  const credentials = Buffer.from(`${user}:${password}`).toString("base64");
  return { scheme: "Basic", get: async () => credentials };
}

type SigningKey = {
  key: () => string;
  /** Told where the key cannot be read: a library's message may quote it. */
  complaint: string;
  algorithm?: string;
  header?: () => Promise<Record<string, string>>;
};

/** A JWT signed with a private key, PKCS #8 as PEM. @throws SourceFailure `denied` */
export async function signJwt(
  claims: JWTPayload,
  { key, complaint, algorithm: alg = "RS256", header }: SigningKey,
): Promise<string> {
  try {
    const own = await header?.();
    const jwt = new SignJWT(claims).setProtectedHeader({ alg, typ: "JWT", ...own });
    return await jwt.sign(await importPKCS8(key(), alg));
  } catch {
    throw new SourceFailure("denied", complaint);
  }
}

/** Each is used until shortly before it expires. @throws SourceFailure that says what to do */
export function accessTokens(service: TokenService, outgoing: FetchClient, now: Now): AccessTokens {
  let current: { value: string; expiresAt: number } | null = null;
  return {
    async get(signal) {
      if (current === null || current.expiresAt - MARGIN_MS <= now()) {
        const token = await requestToken(service, { outgoing, now, signal });
        current = {
          value: token.access_token,
          expiresAt: now() + token.expires_in * SECOND_MS,
        };
      }
      return current.value;
    },
    renew() {
      current = null;
    },
  };
}

/** Providers refuse what was signed before or after so much time. */
const MAX_SKEW_MS = 2 * MINUTE_MS;

async function requestToken(
  { name, address, form, headers: proof, answer: schema = granted, ...service }: TokenService,
  { outgoing, now, signal }: { outgoing: FetchClient; now: Now; signal: AbortSignal },
): Promise<TokenGrant> {
  const got = await guardedFetch(outgoing, address, {
    post: { body: new URLSearchParams(await form()).toString() },
    headers: { "content-type": "application/x-www-form-urlencoded", ...(await proof?.()) },
    signal,
  });
  const text = await readText(got, { callers: signal, limitBytes: ANSWER_LIMIT_BYTES });
  const answer = parseJson(text);
  const { ok, status, headers } = got.response;
  if (!ok && (status === 429 || status >= 500)) {
    const problem = `${name}: ${status} for the access token`;
    const kind = status === 429 ? "throttled" : "down";
    throw new SourceFailure(kind, problem, retryAfterMs(headers, now()));
  }
  const skewMs = service.isSigned === true ? skewOf(got.response, now()) : 0;
  // A clock that is behind may be no reason: the key may be wrong, too.
  const clocks = skewMs > MAX_SKEW_MS ? `${clocksDiffer(name, skewMs)}; ` : "";
  if (!ok)
    throw new SourceFailure("denied", `${name}: ${clocks}${service.explain(status, answer)}`);
  const token = schema.safeParse(answer);
  if (token.success) return token.data;
  throw new SourceFailure("down", `${name}: no access token in the answer`);
}
