import { parse } from "hono/utils/cookie";

import { sha256Hex } from "../../core/hash.ts";
import { MINUTE_MS } from "../../core/time.ts";

/** For so long a person may take at the provider. */
export const FLOW_MS = 10 * MINUTE_MS;

/** `__Host-`: no sibling domain can set it. */
const nameOf = (secure: boolean) => `${secure ? "__Host-" : ""}quarry_session`;

export const sessionSecretIn = (cookieHeader: string | null, secure: boolean): string | null =>
  parse(cookieHeader ?? "", nameOf(secure))[nameOf(secure)] ?? null;

/** The hash that the session is stored under; null when the header names no session. */
export async function sessionHashIn(
  cookieHeader: string | null,
  secure: boolean,
): Promise<string | null> {
  const secret = sessionSecretIn(cookieHeader, secure);
  return secret === null || secret === "" ? null : await sha256Hex(secret);
}

/** Without an expiry: the server ends sessions. */
export const sessionCookie = (secret: string, secure: boolean) =>
  `${nameOf(secure)}=${secret}; HttpOnly; SameSite=Strict; Path=/${secure ? "; Secure" : ""}`;

export const expiredSessionCookie = (secure: boolean) => `${sessionCookie("", secure)}; Max-Age=0`;
