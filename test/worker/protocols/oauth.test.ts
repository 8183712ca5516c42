import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { call, ORIGIN } from "../../support/worker-client.ts";
import {
  allow,
  authorizeAddress,
  CALLBACK,
  connected,
  formIn,
  idOf,
  press,
  redeem,
  register,
  registered,
  signedInPeople,
  toolsOf,
  withBearer,
  type Query,
} from "./connecting.ts";
import { setUpProtocols } from "./world.ts";

const world = await setUpProtocols();
const { admin, member } = await signedInPeople(world);

test("the address of /mcp alone tells a program how to connect", async () => {
  const response = await call("POST", "/mcp", { body: "{}" });
  expect(response.status).toBe(401);
  const challenge = response.headers.get("WWW-Authenticate") ?? "";
  const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  const { body: resource } = await call("GET", new URL(metadata).pathname);
  expect(resource).toMatchObject({ resource: `${ORIGIN}/mcp`, authorization_servers: [ORIGIN] });
  // ChatGPT looks there.
  const { body: atRoot } = await call("GET", "/.well-known/oauth-protected-resource");
  expect(atRoot).toEqual(resource);
  const { body: server } = await call("GET", "/.well-known/oauth-authorization-server");
  expect(server).toMatchObject({
    issuer: ORIGIN,
    authorization_endpoint: `${ORIGIN}/authorize`,
    token_endpoint: `${ORIGIN}/oauth/token`,
    registration_endpoint: `${ORIGIN}/oauth/register`,
    code_challenge_methods_supported: ["S256"],
  });
});

test("a program is connected by a person, to what they chose and nothing else", async () => {
  const selection = { rags: ["notes"], inferences: ["ask"] };
  const { access_token: access } = await connected(admin, selection);
  expect(await toolsOf(access)).toEqual(["search", "fetch", "ask_ask"]);
  const models = await withBearer(access, "/v1/models");
  expect(models.body).toMatchObject({ data: [{ id: "inference/ask" }] });
  const messages = [{ role: "user", content: "boiler service" }];
  const answers = [
    ["/v1/chat/completions", { model: "inference/ask", messages }],
    ["/v1/responses", { model: "inference/ask", input: "boiler service" }],
    ["/v1/vector_stores/notes/search", { query: "boiler" }],
    ["/v1/vector_stores/secrets/search", { query: "boiler" }],
    ["/dify/retrieval", { knowledge_id: "notes", query: "boiler", retrieval_setting: {} }],
    ["/api/rags/notes/retrieve", { queries: ["boiler"] }],
    ["/panel/api/rags", {}],
  ] as const;
  const got: number[] = [];
  for (const [path, body] of answers) got.push((await withBearer(access, path, body)).status);
  expect(got).toEqual([200, 200, 200, 403, 401, 401, 401]);
});

test("a program of an administrator finds what that person may read", async () => {
  const { access_token: access } = await connected(admin, { rags: ["notes"] });
  const countFiles = async () => {
    const { body } = await withBearer(access, "/v1/vector_stores/notes");
    return (body as { file_counts: { total: number } }).file_counts.total;
  };
  const permit = (change: object) => world.panel.send("PATCH", "/file-sources/notes", change);
  expect(await countFiles()).toBeGreaterThan(1);
  await permit({ permissions: "on" });
  const file = "/file-sources/notes/files/own.md";
  const readers = (who: string) => ({ "X-File-Readers": JSON.stringify([who]) });
  await world.panel.put(file, "# Own", "text/markdown", readers("user:someone@localhost"));
  expect(await countFiles()).toBe(0);
  await world.panel.put(file, "# Own", "text/markdown", readers("user:admin@localhost"));
  expect(await countFiles()).toBe(1);
  await permit({ permissions: "off" });
});

test.for<[name: string, changed: Query, problem: string]>([
  ["another resource", { resource: "https://other.example/mcp" }, "resource"],
  ["a plain challenge", { code_challenge_method: "plain" }, "S256"],
  ["no challenge", { code_challenge: undefined, code_challenge_method: undefined }, "PKCE"],
  ["a foreign redirect", { redirect_uri: "https://evil.example/callback" }, "redirect URI"],
  ["another path", { redirect_uri: "http://127.0.0.1:1/other" }, "redirect URI"],
  ["a program that nobody knows", { client_id: "nobody" }, "client_id"],
  ["a token at once", { response_type: "token" }, "response_type"],
])("A request with %s is refused on a page of ours", async ([, changed, problem]) => {
  const clientId = await registered();
  const { status, headers } = await admin.open(await authorizeAddress(clientId, changed));
  expect({ status, leads: headers.get("Location") }).toEqual({ status: 400, leads: null });
  expect(admin.html.toLowerCase()).toContain(problem.toLowerCase());
  expect(admin.html).not.toContain("..</p>");
  expect(admin.html).not.toContain('name="answer"');
  expect(admin.html).not.toContain("evil.example");
});

test("a program with a secret needs a challenge as well", async () => {
  const clientId = await registered({ token_endpoint_auth_method: "client_secret_post" });
  const without = { code_challenge: undefined, code_challenge_method: undefined };
  await admin.open(await authorizeAddress(clientId, without));
  expect(admin.html).toContain("PKCE with S256 is required");
});

test("the consent page names the program and the person, and chooses nothing", async () => {
  const name = `<b>Claude</b>${"x".repeat(300)}`;
  const address = await authorizeAddress(await registered({ client_name: name }));
  const response = await new Browser().open(address);
  const signIn = new URL(response.headers.get("Location") ?? "", ORIGIN);
  expect([signIn.pathname, signIn.searchParams.get("next")]).toEqual(["/panel/sign-in", address]);
  const fromElsewhere = await call("GET", address, { headers: { "Sec-Fetch-Site": "cross-site" } });
  expect(fromElsewhere.headers.get("Refresh")).toBe(`0;url=${address}`);
  const { headers } = await admin.open(address);
  expect(admin.html).toContain("admin@localhost");
  expect(admin.html).toContain("127.0.0.1");
  expect(admin.html).toContain("Nobody has verified it");
  expect(admin.html).toContain("runs on your computer");
  expect(admin.html).not.toContain("<b>Claude");
  expect(admin.html).not.toMatch(/<input[^>]* checked/);
  expect(headers.get("X-Frame-Options")).toBe("DENY");
  expect(headers.get("Referrer-Policy")).toBe("same-origin");
  expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
});

/** Redirect addresses that programs register, as their makers' documents have them. */
const VS_CODE = ["https://insiders.vscode.dev/redirect", "https://vscode.dev/redirect"];
const CURSOR = [
  "cursor://anysphere.cursor-mcp/oauth/callback",
  "https://www.cursor.com/agents/mcp/oauth/callback",
  "http://localhost:8787/callback",
];
const CHATGPT = "https://chatgpt.com/connector_platform_oauth_redirect";
test.for<[program: string, uris: string[], shown: string, local: boolean]>([
  ["Cursor", CURSOR, "cursor://anysphere.cursor-mcp", true],
  ["an app of a domain", ["com.example.app:/back"], "com.example.app:", true],
  ["VS Code", ["http://127.0.0.1:33418/", ...VS_CODE], "127.0.0.1", true],
  ["VS Code's site", VS_CODE, "insiders.vscode.dev", false],
  ["Claude", ["https://claude.ai/api/mcp/auth_callback"], "claude.ai", false],
  ["ChatGPT", [CHATGPT], "chatgpt.com", false],
])("%s is told where it sends people, and gets its code", async ([, uris, destination, local]) => {
  const clientId = await registered({ redirect_uris: uris });
  const redirect = { redirect_uri: uris[0] };
  const code = await allow(admin, clientId, { rags: ["notes"] }, redirect);
  expect(admin.html).toMatch(new RegExp(`Sends you to</dt>.*?>${destination}<`, "s"));
  expect(admin.html.includes("runs on your computer")).toBe(local);
  const { body } = await redeem(clientId, code, redirect);
  expect(await toolsOf(body.access_token)).toContain("search");
});

test.for([
  ["evil://anysphere.cursor-mcp/oauth/callback", "an app that anybody could have made"],
  ["ms-settings:callback", "an app that anybody could have made"],
  ["intent://a.b/callback", "an app that anybody could have made"],
  ["cursor://anysphere.cursor-mcp/oauth/other", "Invalid redirect URI"],
])("no code goes to %s", async ([address = "", problem = ""]) => {
  const redirects = address.startsWith("cursor:") ? [] : [address];
  const clientId = await registered({ redirect_uris: [...CURSOR, ...redirects] });
  const response = await admin.open(await authorizeAddress(clientId, { redirect_uri: address }));
  expect(response.status).toBe(400);
  expect(admin.html).toContain(problem);
  expect((await register({ redirect_uris: ["javascript:alert(1)//a.b"] })).status).toBe(400);
});

test("the page after an answer leads to the program by itself, whatever its address", async () => {
  const redirect = "https://a,b;sandbox/callback";
  const clientId = await registered({ redirect_uris: [redirect] });
  await admin.open(await authorizeAddress(clientId, { redirect_uri: redirect }));
  const { status, headers, leads, body } = await press(
    admin,
    formIn(admin.html, { rags: ["notes"] }),
  );
  expect([status, leads?.href.split("?")[0]]).toEqual([200, redirect]);
  expect(String(body)).toContain(`href="${redirect}?code=`);
  expect(headers.get("Content-Security-Policy")).toContain("form-action 'self';");
});

test("an answer is taken once, from our page, for the person who was shown it", async () => {
  const clientId = await registered();
  await admin.open(await authorizeAddress(clientId));
  const form = formIn(admin.html, { rags: ["notes"] });
  const foreign = await press(admin, form, { Origin: "https://evil.example" });
  expect(foreign.status).toBe(403);
  const none = await press(admin, formIn(admin.html, {}));
  expect([none.status, String(none.body)]).toEqual([400, expect.stringContaining("at least one")]);
  const all = await press(admin, formIn(admin.html, { rags: ["*"] }));
  expect(all.status).toBe(400);
  const response = await press(member, form);
  expect([response.status, String(response.body)]).toEqual([409, expect.stringContaining("else")]);
  const both = await Promise.all([press(admin, form), press(admin, { ...form, rags: "secrets" })]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const refusal = both.find(({ status }) => status === 409);
  expect(String(refusal?.body)).toContain("was answered already");
  const code = both.find(({ leads }) => leads !== null)?.leads?.searchParams.get("code") ?? "";
  const { body } = await redeem(clientId, code);
  const stores = await withBearer(body.access_token, "/v1/vector_stores");
  expect((stores.body as { data: unknown[] }).data).toHaveLength(1);
});

test("two pages of one program at once are two answers, and the later one stands", async () => {
  const clientId = await registered();
  const pages = [new Browser(), new Browser()];
  for (const page of pages) {
    await page.signIn();
    await page.open(await authorizeAddress(clientId));
  }
  const [firstForm, secondForm] = pages.map((page) => formIn(page.html, { rags: ["notes"] }));
  expect(firstForm?.id).not.toBe(secondForm?.id);
  const codes: string[] = [];
  for (const page of pages) {
    const { leads } = await press(page, formIn(page.html, { rags: ["notes"] }));
    codes.push(leads?.searchParams.get("code") ?? "");
  }
  const [first, second] = await Promise.all(codes.map((code) => redeem(clientId, code)));
  expect(first?.body.error_description).toContain("has ended");
  expect(await toolsOf(second?.body.access_token ?? "")).toContain("search");
});

test("Deny tells the program and connects nothing", async () => {
  await admin.open(await authorizeAddress(await registered()));
  const { status, leads } = await press(admin, formIn(admin.html, { answer: "deny" }));
  expect(status).toBe(200);
  expect(leads?.origin).toBe("http://127.0.0.1:33418");
  expect(Object.fromEntries(leads?.searchParams ?? [])).toMatchObject({
    error: "access_denied",
    state: "what-the-program-keeps",
    iss: ORIGIN,
  });
});

test("members connect what is open to them, for as long as it is", async () => {
  const clientId = await registered();
  await member.open(await authorizeAddress(clientId));
  expect(member.html).toContain("is open to members yet");
  expect(member.html).not.toContain('value="allow"');
  const forced = await press(member, formIn(member.html, { rags: ["secrets"] }));
  expect([forced.status, String(forced.body)]).toEqual([400, expect.stringContaining("secrets")]);
  await world.panel.send("PATCH", "/rags/notes", { openToMembers: true });
  await world.panel.send("PATCH", "/inferences/ask", { openToMembers: true });
  const selection = { rags: ["notes"], inferences: ["ask"] };
  const { access_token: access } = await connected(member, selection);
  expect(member.html).not.toContain('value="secrets"');
  expect(await toolsOf(access)).toEqual(["search", "fetch", "ask_ask"]);
  await world.panel.send("PATCH", "/inferences/ask", { openToMembers: false });
  expect(await toolsOf(access)).toEqual(["search", "fetch"]);
  const { access_token: otherToken } = await connected(admin);
  await member.open("/panel/tokens/programs");
  expect(member.html).toContain(idOf(access));
  expect(member.html).not.toContain(idOf(otherToken));
  expect((await member.post(`/panel/tokens/programs/${idOf(otherToken)}/remove`)).status).toBe(403);
  expect((await member.post(`/panel/tokens/programs/${idOf(access)}/remove`)).status).toBe(303);
  expect(await toolsOf(access)).toBe(401);
});

test("a program that wishes for more is registered with what is served", async () => {
  const grants = ["authorization_code", "refresh_token"];
  const { status, body } = await register({
    grant_types: [...grants, "urn:ietf:params:oauth:grant-type:device_code"],
    response_types: ["code", "token"],
    client_uri: "",
    logo_uri: null,
  });
  expect([status, body]).toMatchObject([201, { grant_types: grants, response_types: ["code"] }]);
  expect(body).not.toHaveProperty("client_uri");
  expect((await register({ grant_types: ["client_credentials"] })).status).toBe(400);
  expect((await register({ grant_types: [{ toString: 1 }] })).status).toBe(400);
  expect((await register({ constructor: ["a"], toString: [1] })).status).toBe(201);
  const nested = `{"redirect_uris":["${CALLBACK}"],"a":${"[".repeat(8_000)}${"]".repeat(8_000)}}`;
  const headers = { "Content-Type": "application/json" };
  expect((await call("POST", "/oauth/register", { headers, body: nested })).status).toBe(201);
});

test("registrations are bounded by size and address; unused ones end", async () => {
  const tooLong = await register({ client_name: "x".repeat(20_000) });
  expect(tooLong.status).toBe(413);
  const remote = await register({ redirect_uris: ["http://evil.example/callback"] });
  expect(remote.status).toBe(400);
  const { body } = await register({ token_endpoint_auth_method: "client_secret_post" });
  expect(body).toMatchObject({ client_secret: expect.any(String), client_secret_expires_at: 0 });
  const clients = await env.OAUTH_KV.list({ prefix: "client:" });
  const soon = Date.now() / 1_000 + 2 * 86_400;
  const unused = clients.keys.find(({ name }) =>
    name.endsWith((body as { client_id: string }).client_id),
  );
  expect(unused?.expiration).toBeLessThan(soon);
  const { clientId } = await connected(admin);
  const { keys } = await env.OAUTH_KV.list({ prefix: `client:${clientId}` });
  expect(keys[0]?.expiration).toBeGreaterThan(soon);
  const from = { "X-Forwarded-For": "192.0.2.99", "Content-Type": "application/json" };
  const init = { headers: from, body: JSON.stringify({ redirect_uris: [CALLBACK] }) };
  const statuses: number[] = [];
  for (let at = 0; at < 11; at++)
    statuses.push((await call("POST", "/oauth/register", init)).status);
  expect(statuses.at(-1)).toBe(429);
});
