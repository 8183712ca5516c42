/**
 * Whether a request with the session cookie comes from our own pages: it carries the service's
 * own `Origin`, or the browser sends `Sec-Fetch-Site: same-origin`. False without either header.
 * `baseUrl` is `{base_url}`; its path, if any, is ignored.
 */
export function isSameOrigin(request: Request, baseUrl: string): boolean {
  if (request.headers.get("Sec-Fetch-Site") === "same-origin") return true;
  return request.headers.get("Origin") === new URL(baseUrl).origin;
}
