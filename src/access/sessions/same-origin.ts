/**
 * Whether a request with the session cookie comes from our own pages. False without either header.
 * The path of `baseUrl` is ignored.
 */
export function isSameOrigin(request: Request, baseUrl: string): boolean {
  if (request.headers.get("Sec-Fetch-Site") === "same-origin") return true;
  return request.headers.get("Origin") === new URL(baseUrl).origin;
}
