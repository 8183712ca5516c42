import { sha256Hex } from "../../core/hash.ts";

/**
 * `__Host-`: browsers accept it only from this exact host over https, so that a sibling domain
 * cannot set it.
 */
const nameOf = (secure: boolean) => (secure ? "__Host-quarry_session" : "quarry_session");

/** A cookie's value in a `Cookie` header; null when it has none of this name. */
export function cookieIn(header: string | null | undefined, name: string): string | null {
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

export const sessionSecretIn = (cookieHeader: string | null, secure: boolean) =>
  cookieIn(cookieHeader, nameOf(secure));

/** The hash that the session is stored under; null when the header names no session. */
export async function sessionHashIn(
  cookieHeader: string | null,
  secure: boolean,
): Promise<string | null> {
  const secret = sessionSecretIn(cookieHeader, secure);
  return secret === null || secret === "" ? null : await sha256Hex(secret);
}

/** Without an expiry: the server ends sessions. */
export function sessionCookie(secret: string, secure: boolean): string {
  const attributes = `HttpOnly; SameSite=Strict; Path=/${secure ? "; Secure" : ""}`;
  return `${nameOf(secure)}=${secret}; ${attributes}`;
}

export function expiredSessionCookie(secure: boolean): string {
  return `${sessionCookie("", secure)}; Max-Age=0`;
}
