/**
 * Whether a request with the session's cookie comes from our own pages: it carries the service's
 * own `Origin`, or the browser says `Sec-Fetch-Site: same-origin`. Neither header: no.
 * `baseUrl` is `{base_url}`; its path, if any, does not count.
 */
export function isSameOrigin(request: Request, baseUrl: string): boolean {
  if (request.headers.get("Sec-Fetch-Site") === "same-origin") return true;
  return request.headers.get("Origin") === new URL(baseUrl).origin;
}
