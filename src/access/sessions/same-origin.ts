/** Whether our own page sent it; false without either header. */
export function isSameOrigin(request: Request, baseUrl: string): boolean {
  if (request.headers.get("Sec-Fetch-Site") === "same-origin") return true;
  return request.headers.get("Origin") === baseUrl;
}
