import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newAutomationKey, newToken } from "../../../src/access/credential-format.ts";
import { composeServices } from "../../../src/compose.ts";
import { createApp } from "../../../src/http/app.ts";

const ask = async (url: string, init: RequestInit = {}) =>
  await exports.default.fetch(new Request(url, init));

const SIGN_IN = {
  method: "POST",
  body: JSON.stringify({ email: "admin@localhost", password: "quarry" }),
};

test("a local server answers to its own names only", async () => {
  for (const name of ["evil.example", "localhost.evil.example", "192.168.1.5", "0.0.0.0"]) {
    const answer = await ask(`http://${name}/api/openapi.json`);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({ error: expect.stringMatching(/^Forbidden: a local/) });
    expect((await ask(`http://${name}/panel/api/session`, SIGN_IN)).status).toBe(403);
    expect((await ask(`http://${name}/cdn-cgi/explorer/api`)).status).toBe(404);
  }
  for (const name of ["localhost:8787", "127.0.0.1:9000", "[::1]:8787"]) {
    expect((await ask(`http://${name}/api/openapi.json`)).status).toBe(200);
  }
});

/** A request as the service receives it; `peer` is the other end of its socket. */
type Received = { peer?: string; headers?: Record<string, string>; path?: string };

/** The status of a request to a service with these variables. */
async function received(variables: object, { peer, headers = {}, path = "/robots.txt" }: Received) {
  const cf = peer === undefined ? {} : { cf: { clientIp: peer } };
  const request = new Request(`http://${headers["Host"] ?? "localhost"}${path}`, {
    headers,
    ...cf,
  });
  const context = createExecutionContext();
  const bindings = { ...env, TRUSTED_PROXIES: "", ...variables };
  const answer = await createApp(composeServices).fetch(request, bindings, context);
  await waitOnExecutionContext(context);
  return answer;
}

const LOCAL = "127.0.0.1:4711";
const ELSEWHERE = "192.0.2.1:4711";
const PUBLIC = "quarry.example.com";
const FORWARDED: Record<string, string>[] = [
  { "X-Forwarded-For": "192.0.2.1" },
  { Forwarded: "for=192.0.2.1" },
  { Via: "1.1 Caddy" },
  { "X-Real-IP": "192.0.2.1" },
];

test("with a public name, local names are for programs on the same machine", async () => {
  const variables = { PUBLIC_BASE_URL: `https://${PUBLIC.toUpperCase()}:8443` };
  const status = async (Host: string, more: Received) =>
    (await received(variables, { ...more, headers: { Host, ...more.headers } })).status;
  for (const host of ["localhost:8787", "LOCALHOST", "127.0.0.1", "[::1]:80"]) {
    expect(await status(host, { peer: LOCAL })).toBe(200);
    expect(await status(host, { peer: "[::1]:9" })).toBe(200);
    expect(await status(host, { peer: ELSEWHERE })).toBe(403);
    for (const headers of FORWARDED) expect(await status(host, { peer: LOCAL, headers })).toBe(403);
  }
  for (const headers of [{}, ...FORWARDED]) {
    expect(await status(PUBLIC, { peer: LOCAL, headers })).toBe(200);
    expect(await status(`${PUBLIC}:8443`, { peer: ELSEWHERE, headers })).toBe(200);
    expect(await status("evil.example", { peer: LOCAL, headers })).toBe(403);
  }
});

test("a program with a credential calls by any other name, a browser does not", async () => {
  const variables = { PUBLIC_BASE_URL: `https://${PUBLIC}` };
  const status = async (path: string, credential: string, Host = "quarry:8787", more = {}) => {
    const headers = { Host, ...more, ...(credential && { Authorization: `Bearer ${credential}` }) };
    return (await received(variables, { peer: ELSEWHERE, headers, path })).status;
  };
  const [token, key] = [newToken(), newAutomationKey()];
  expect(await status("/api/rags/sample", token)).toBe(401);
  // Not mounted here.
  for (const path of ["/v1/models", "/metrics", "/panel/api/rags", "/panel/api/sessions"]) {
    expect(await status(path, key)).toBe(404);
    expect(await status(path, token, "localhost:8787")).toBe(403);
    expect(await status(path, "", "quarry:8787")).toBe(403);
    expect(await status(path, "qry_invented")).toBe(403);
    expect(await status(path, key, "evil.example", { Origin: "http://evil.example" })).toBe(403);
  }
  for (const path of ["/panel", "/panel/api/session", "/oauth/register"]) {
    expect(await status(path, key)).toBe(403);
  }
  // Load balancers ask by address.
  expect(await status("/health", "", "192.0.2.7:8787")).toBe(200);
});

test("a trusted proxy may name the host in X-Forwarded-Host, nobody else", async () => {
  const variables = {
    PUBLIC_BASE_URL: `https://${PUBLIC}`,
    TRUSTED_PROXIES: "127.0.0.1,10.0.0.0/8",
  };
  const status = async (peer: string, Host: string, host: string) => {
    const headers = { Host, "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Host": host };
    return (await received(variables, { peer, headers })).status;
  };
  expect(await status(LOCAL, "127.0.0.1:8787", PUBLIC)).toBe(200);
  expect(await status("10.0.0.1:5", "127.0.0.1:8787", `evil.example, ${PUBLIC}`)).toBe(200);
  expect(await status(ELSEWHERE, "127.0.0.1:8787", PUBLIC)).toBe(403);
  expect(await status(LOCAL, PUBLIC, "localhost")).toBe(403);
  // With DNS rebinding, a page of another site may set this header.
  expect(await status(LOCAL, "evil.example:8787", PUBLIC)).toBe(403);
});

test("who calls is the socket's other end, whatever a caller says", async () => {
  const rateLimitOf = async (more: Received) =>
    (await received({}, { ...more, path: "/embed/x" })).headers.get("RateLimit");
  for (let call = 1; call <= 3; call++) {
    const forged = `198.51.100.${call}`;
    const headers = { "CF-Connecting-IP": forged, "X-Forwarded-For": forged };
    const peer = `203.0.113.9:${call}`;
    expect(await rateLimitOf({ peer, headers })).toBe(`"embed";r=${30 - call};t=60`);
  }
});

test("search engines find nothing, and a weakness is told to the contact", async () => {
  const robots = await received({}, { path: "/robots.txt" });
  expect(await robots.text()).toBe("User-agent: *\nDisallow: /\n");
  const path = "/.well-known/security.txt";
  expect((await received({}, { path })).status).toBe(404);
  const response = await received({ SECURITY_CONTACT: "mailto:security@example.com" }, { path });
  expect(response.headers.get("Content-Type")).toMatch(/^text\/plain; ?charset=utf-8$/i);
  const [contact, expires] = (await response.text()).split("\n");
  expect(contact).toBe("Contact: mailto:security@example.com");
  expect(Date.parse(expires?.replace("Expires: ", "") ?? "")).toBeGreaterThan(Date.now());
});

test("a window that a program opened to sign somebody in stays the program's", async () => {
  for (const path of [
    "/panel/sign-in",
    "/authorize?client_id=x",
    "/panel/sign-in/openid/callback",
  ]) {
    const { headers } = await ask(`http://localhost${path}`, { redirect: "manual" });
    expect(headers.get("Cross-Origin-Opener-Policy")).toBe("unsafe-none");
  }
});

test("https is kept to, and its cookie is this host's alone", async () => {
  const signIn = await ask("https://localhost/panel/api/session", SIGN_IN);
  expect(signIn.headers.get("Strict-Transport-Security")).toMatch(/^max-age=\d{8}$/);
  const cookie = signIn.headers.get("Set-Cookie") ?? "";
  expect(cookie).toMatch(
    /^__Host-quarry_session=\w{43}; HttpOnly; SameSite=Strict; Path=\/; Secure$/,
  );
  const [pair = ""] = cookie.split(";");
  const who = async (origin: string, Cookie: string) =>
    (await ask(`${origin}/panel/api/session`, { headers: { Cookie } })).status;
  expect(await who("https://localhost", pair)).toBe(200);
  // A cookie that a sibling site or plain http may have set does not count.
  expect(await who("https://localhost", pair.replace("__Host-", ""))).toBe(401);
  const plain = await ask("http://localhost/panel/api/session", SIGN_IN);
  expect(plain.headers.get("Strict-Transport-Security")).toBeNull();
});
