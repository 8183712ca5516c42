import { beforeAll, expect, test, vi } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { call } from "../../support/worker-client.ts";
import { allow, authorizeAddress, redeem, registered, toolsOf } from "./connecting.ts";
import { setUpProtocols } from "./world.ts";

const CLIENT = "https://claude.example/oauth/client.json";
const CALLBACK = "https://claude.example/callback";
const admin = new Browser();

beforeAll(async () => {
  await setUpProtocols();
  await admin.signIn();
});

/** As deployed: the platform lets a Worker fetch from public addresses only. */
function deployed(document: object | null, isMoved = false): string[] {
  const addresses: string[] = [];
  vi.stubGlobal("Cloudflare", { compatibilityFlags: { global_fetch_strictly_public: true } });
  vi.stubGlobal("fetch", async (input: RequestInfo | URL, request: RequestInit = {}) => {
    addresses.push(new Request(input).url);
    if (isMoved && request.redirect === "manual") {
      return new Response(null, { status: 302, headers: { Location: "https://evil.example/" } });
    }
    return document === null ? new Response("", { status: 404 }) : Response.json(document);
  });
  return addresses;
}

const DOCUMENT = {
  client_id: CLIENT,
  client_name: "Claude",
  redirect_uris: [CALLBACK],
  token_endpoint_auth_method: "none",
};
const REDIRECT = { redirect_uri: CALLBACK };

test("a program with a metadata document is named by its domain, and connects", async () => {
  const addresses = deployed(DOCUMENT);
  const { body } = await call("GET", "/.well-known/oauth-authorization-server");
  expect(body).toMatchObject({ client_id_metadata_document_supported: true });
  const code = await allow(admin, CLIENT, { rags: ["notes"] }, REDIRECT);
  expect(admin.html).toContain("claude.example");
  expect(admin.html).not.toContain("nobody has verified");
  const { body: issued } = await redeem(CLIENT, code, REDIRECT);
  expect(new Set(addresses)).toEqual(new Set([CLIENT]));
  const fetched = addresses.length;
  const stranger = "https://elsewhere.example/client.json";
  const codes: [client: string, code: string][] = [
    [stranger, "made:up:code"],
    [CLIENT, "made:up:code"],
    [stranger, code],
  ];
  for (const [client, authorizationCode] of codes) {
    const refusal = await redeem(client, authorizationCode, REDIRECT);
    expect([refusal.status, refusal.body]).toMatchObject([401, { error: "invalid_client" }]);
  }
  expect(addresses).toHaveLength(fetched);
  vi.unstubAllGlobals();
  expect(await toolsOf(issued.access_token)).toEqual(["search", "fetch"]);
});

test.for<[name: string, document: object | null, isMoved?: boolean]>([
  ["that is not there", null],
  ["of another program", { ...DOCUMENT, client_id: "https://evil.example/client.json" }],
  ["behind a redirect", DOCUMENT, true],
  ["without the redirect", { ...DOCUMENT, redirect_uris: ["https://claude.example/other"] }],
])("A metadata document %s connects nothing", async ([, document, isMoved]) => {
  deployed(document, isMoved);
  const { status } = await admin.open(await authorizeAddress(CLIENT, REDIRECT));
  expect(status).toBe(400);
  expect(admin.html).toContain("cannot be connected");
  expect(admin.html).not.toContain('name="answer"');
});

test("a local service fetches no document: programs register there", async () => {
  const { body } = await call("GET", "/.well-known/oauth-authorization-server");
  expect(body).not.toMatchObject({ client_id_metadata_document_supported: true });
  const { status } = await admin.open(await authorizeAddress(CLIENT, REDIRECT));
  expect(status).toBe(400);
});

test("a program that nobody knows is told so before anybody signs in", async () => {
  const open = async (id: string) => await new Browser().open(await authorizeAddress(id));
  expect((await open("nobody")).status).toBe(400);
  expect((await open("é".repeat(400))).status).toBe(400);
  expect((await call("GET", "/authorize")).status).toBe(400);
  expect((await open(await registered())).status).toBe(303);
  expect((await open("https://program.example/client.json")).status).toBe(303);
});
