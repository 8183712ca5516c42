import { parse } from "hono/utils/cookie";

import { sha256Hex } from "../../core/hash.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";

/** For so long a person may take at the provider. */
export const FLOW_MS = 10 * MINUTE_MS;

/** `__Host-`: no sibling domain can set it. */
const nameOf = (what: "session" | "openid", secure: boolean) =>
  `${secure ? "__Host-" : ""}quarry_${what}`;

const cookieIn = (header: string | null, name: string): string | null =>
  parse(header ?? "", name)[name] ?? null;

export const sessionSecretIn = (cookieHeader: string | null, secure: boolean) =>
  cookieIn(cookieHeader, nameOf("session", secure));

/** The hash that the session is stored under; null when the header names no session. */
export async function sessionHashIn(
  cookieHeader: string | null,
  secure: boolean,
): Promise<string | null> {
  const secret = sessionSecretIn(cookieHeader, secure);
  return secret === null || secret === "" ? null : await sha256Hex(secret);
}

const attributesOf = (site: "Strict" | "Lax", secure: boolean) =>
  `HttpOnly; SameSite=${site}; Path=/${secure ? "; Secure" : ""}`;

/** Without an expiry: the server ends sessions. */
export const sessionCookie = (secret: string, secure: boolean) =>
  `${nameOf("session", secure)}=${secret}; ${attributesOf("Strict", secure)}`;

export const expiredSessionCookie = (secure: boolean) => `${sessionCookie("", secure)}; Max-Age=0`;

/** Lax: the person comes back from another site, with the provider's answer in the address. */
export function flowCookie(kept: string, secure: boolean): string {
  const maxAge = kept === "" ? 0 : FLOW_MS / SECOND_MS;
  return `${nameOf("openid", secure)}=${kept}; ${attributesOf("Lax", secure)}; Max-Age=${maxAge}`;
}

export const flowIn = (cookieHeader: string | null, secure: boolean) =>
  cookieIn(cookieHeader, nameOf("openid", secure));
