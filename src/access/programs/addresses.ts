const LOOPBACK = /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$)/i;

/**
 * The resource that tokens of programs are issued for. Null: neither https nor this machine, so no
 * OAuth.
 */
export function resourceOf(baseUrl: string): string | null {
  const isSafe = baseUrl.startsWith("https://") || LOOPBACK.test(baseUrl);
  return isSafe ? `${baseUrl}/mcp` : null;
}

/** Programs also name the resource with a slash at its end, or by the service's own address. */
export function normalizeResource(fields: URLSearchParams, baseUrl: string): URLSearchParams {
  const resource = resourceOf(baseUrl) ?? baseUrl;
  const names = new Set([resource, `${resource}/`, baseUrl, `${baseUrl}/`]);
  const isOurs = fields.getAll("resource").every((name) => names.has(name));
  if (isOurs && fields.has("resource")) fields.set("resource", resource);
  return fields;
}

/** Where the metadata of that resource is (RFC 9728); null as above. */
export function resourceMetadataUrl(baseUrl: string): string | null {
  const resource = resourceOf(baseUrl);
  if (resource === null) return null;
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}

/** Where the metadata of the authorization server is (RFC 8414). */
export function serverMetadataUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname === "/" ? "" : pathname;
  return `${origin}/.well-known/oauth-authorization-server${path}`;
}

/** Schemes of apps whose names are no domain of theirs: Cursor, and editors with extensions that connect. */
const KNOWN_SCHEMES = new Set(["cursor:", "vscode:", "vscode-insiders:", "windsurf:"]);

/**
 * The app on the person's device that opens an address, as people are shown it; null: a browser
 * opens it. Of schemes that any app may claim, only a known one or a domain's is accepted, as that
 * of RFC 8252, 7.1 (`com.example.app:/callback`); `isAccepted` false: it is neither.
 */
export function appOfRedirect(redirectUri: string): { name: string; isAccepted: boolean } | null {
  const { protocol, host } = new URL(redirectUri);
  if (protocol === "https:" || protocol === "http:") return null;
  const name = host === "" ? protocol : `${protocol}//${host}`;
  return { name, isAccepted: protocol.includes(".") || KNOWN_SCHEMES.has(protocol) };
}
