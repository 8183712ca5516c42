import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { cookieIn } from "../sessions/session-cookie.ts";

/** For so long a person may take at the provider. */
export const FLOW_MS = 10 * MINUTE_MS;

const nameOf = (secure: boolean) => (secure ? "__Host-quarry_openid" : "quarry_openid");

/**
 * `Set-Cookie` with what the browser keeps of a sign-in that was begun. Lax: the person comes back
 * from another site, with the provider's answer in the address.
 */
export function flowCookie(kept: string, secure: boolean): string {
  const attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? "; Secure" : ""}`;
  const maxAge = kept === "" ? 0 : FLOW_MS / SECOND_MS;
  return `${nameOf(secure)}=${kept}; ${attributes}; Max-Age=${maxAge}`;
}

/** What the browser kept; null: nothing. */
export const flowIn = (cookieHeader: string | null, secure: boolean) =>
  cookieIn(cookieHeader, nameOf(secure));
