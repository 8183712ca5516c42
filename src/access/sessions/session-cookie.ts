const SESSION_COOKIE = "quarry_session";

/** The session's secret in a `Cookie` header; null when it holds none. */
export function sessionSecretIn(cookieHeader: string | null): string | null {
  for (const pair of (cookieHeader ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at !== -1 && pair.slice(0, at).trim() === SESSION_COOKIE) return pair.slice(at + 1).trim();
  }
  return null;
}

/** `Set-Cookie` for a new session. It lives as long as the browser; its end is kept by us. */
export function sessionCookie(secret: string, secure: boolean): string {
  return `${SESSION_COOKIE}=${secret}; HttpOnly; SameSite=Strict; Path=/${secure ? "; Secure" : ""}`;
}

/** `Set-Cookie` that makes the browser forget the session. */
export function expiredSessionCookie(secure: boolean): string {
  return `${sessionCookie("", secure)}; Max-Age=0`;
}
