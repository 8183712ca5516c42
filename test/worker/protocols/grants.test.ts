import { env, exports } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { call, freshAddress, ORIGIN } from "../../support/worker-client.ts";
import {
  allow,
  CALLBACK,
  connected,
  idOf,
  redeem,
  refresh,
  register,
  registered,
  signedInPeople,
  token,
  toolsOf,
  withBearer,
  type Query,
} from "./connecting.ts";
import { setUpProtocols } from "./world.ts";

const world = await setUpProtocols();
const { admin, member, memberId } = await signedInPeople(world);

type Event = { action: string; target: string; actor: { name: string } };

/** Lists the audit events of a connection with their actors, the latest first. */
async function eventsOf(accessToken: string) {
  const { body } = await world.panel.send("GET", "/audit?limit=100");
  return (body as { data: Event[] }).data
    .filter(({ target }) => target === idOf(accessToken))
    .map(({ action, actor }) => [action, actor.name]);
}

test("a program with a secret may also name itself in the form, but no other", async () => {
  const { body } = await register({ token_endpoint_auth_method: "client_secret_basic" });
  const { client_id: id = "", client_secret: secret } = body as Record<string, string>;
  const withBasic = (name: string) => ({ Authorization: `Basic ${btoa(`${name}:${secret}`)}` });
  const code = await allow(admin, id);
  const asAnother = await redeem(await registered(), code, {}, withBasic(id));
  expect(asAnother.status).toBe(400);
  expect(await redeem(id, code, {}, withBasic(id))).toMatchObject({ status: 200 });
  const encoded = id.replace(/^\w/, (c) => `%${c.charCodeAt(0).toString(16)}`);
  const repeat = redeem(id, await allow(admin, id), {}, withBasic(encoded));
  expect(await repeat).toMatchObject({ status: 200 });
});

test("a code that comes twice ends the connection, also when both come at once", async () => {
  const clientId = await registered();
  const code = await allow(admin, clientId);
  const { body } = await redeem(clientId, code);
  expect(await toolsOf(body.access_token)).toContain("search");
  const repeat = await redeem(clientId, code);
  expect([repeat.status, repeat.body.error_description]).toEqual([
    400,
    expect.stringMatching(/used/),
  ]);
  expect(await toolsOf(body.access_token)).toBe(401);
  const raced = await allow(admin, clientId);
  const both = await Promise.all([redeem(clientId, raced), redeem(clientId, raced)]);
  expect(both.filter(({ status }) => status === 200).length).toBeLessThan(2);
});

test.for<[name: string, changed: Query]>([
  ["another verifier", { code_verifier: "another-verifier-of-more-than-forty-three-letters-9" }],
  ["no verifier", { code_verifier: undefined }],
  ["another redirect", { redirect_uri: "http://127.0.0.1:9/callback" }],
  ["another resource", { resource: "https://other.example/mcp" }],
])("A code with %s is worth nothing", async ([, changed]) => {
  const clientId = await registered();
  const { status, body } = await redeem(clientId, await allow(admin, clientId), changed);
  expect(status).toBe(400);
  expect(body.access_token).toBeUndefined();
  expect(body.error_description.length).toBeGreaterThan(10);
});

test("what nobody could have been given is refused with a sentence", async () => {
  const clientId = await registered();
  const long = "é".repeat(400);
  for (const code of ["", "x", "a:b:c", `${long}:b:c`, `:${long}:`]) {
    const answers = [await redeem(clientId, code), await refresh(clientId, code)];
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    for (const { body } of answers) expect(body.error_description.length).toBeGreaterThan(10);
  }
  expect((await redeem(long, "a:b:c")).status).toBe(401);
});

test("a code is worth nothing to another program", async () => {
  const code = await allow(admin, await registered());
  expect((await redeem(await registered(), code)).status).toBe(400);
});

test("a removed connection is refused at once, and cannot be refreshed", async () => {
  const { clientId, access_token: access, refresh_token: last } = await connected(admin);
  await admin.open("/panel/tokens/programs");
  expect(admin.html).toContain("Desktop program");
  expect(admin.html).toContain("admin@localhost");
  const removed = await admin.post(`/panel/tokens/programs/${idOf(access)}/remove`);
  expect(removed.location).toBe("/panel/tokens/programs");
  expect(await toolsOf(access)).toBe(401);
  const { status, body } = await refresh(clientId, last);
  expect([status, body.error_description]).toEqual([400, expect.stringContaining("has ended")]);
  expect(await eventsOf(access)).toEqual([
    ["tokens.remove", "admin@localhost"],
    ["tokens.connect", "admin@localhost"],
  ]);
});

test("a program that revokes its token ends its connection", async () => {
  const { clientId, access_token: access, refresh_token: last } = await connected(admin);
  const form = { client_id: await registered(), token: last };
  await token(form);
  expect(await toolsOf(access)).toContain("search");
  const kindsByToken = async () => {
    const { body } = await world.panel.send("GET", "/tokens?limit=100");
    const { data } = body as { data: { id: string; kind: string }[] };
    return new Map(data.map(({ id, kind }) => [id, kind]));
  };
  expect((await kindsByToken()).get(idOf(access))).toBe("program");
  expect((await token({ ...form, client_id: clientId })).status).toBe(200);
  expect(await toolsOf(access)).toBe(401);
  expect((await kindsByToken()).get(idOf(access))).toBeUndefined();
  expect(await eventsOf(access)).toEqual([
    ["tokens.disconnect", "Desktop program"],
    ["tokens.connect", "admin@localhost"],
  ]);
});

/** As Claude Code, the Python SDK and programs whose person typed a slash name it. */
test.each([`${ORIGIN}/`, ORIGIN, `${ORIGIN}/mcp/`])(
  "%s names the resource, too",
  async (resource) => {
    const clientId = await registered();
    const code = await allow(admin, clientId, undefined, { resource });
    const { body } = await redeem(clientId, code, { resource });
    const renewal = await refresh(clientId, body.refresh_token, { resource });
    expect(await toolsOf(renewal.body.access_token)).toContain("search");
  },
);

test("a token for another address of the service is refused", async () => {
  const { access_token: access } = await connected(admin);
  const callFrom = (origin: string, bearer: string) =>
    exports.default.fetch(
      new Request(`${origin}/mcp`, {
        method: "POST",
        headers: { Authorization: `Bearer ${bearer}`, "X-Forwarded-For": freshAddress() },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      }),
    );
  const refusal = await callFrom("http://127.0.0.1", access);
  expect(refusal.status).toBe(401);
  expect(refusal.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
  expect((await callFrom(ORIGIN, access)).status).toBe(200);
  const [id = "", grant = ""] = access.split(":");
  for (const forged of [`${id}:${grant}:${"A".repeat(32)}`, `${id}:x:y`, `::`]) {
    expect((await callFrom(ORIGIN, forged)).status).toBe(401);
  }
});

test("programs of a demoted administrator lose what is closed to members", async () => {
  const email = "demoted@localhost";
  const password = "quiet amber lantern";
  const { id } = await world.panel.create("/users", { email, password, role: "admin" });
  const browser = new Browser();
  await browser.signIn(email, password);
  await world.panel.send("PATCH", "/agents/helper", { openToMembers: true });
  const selection = { rags: ["secrets"], inferences: ["ask"], agents: ["helper"] };
  const { access_token: access } = await connected(browser, selection);
  const reads = async () => {
    const answers = [withBearer(access, "/v1/vector_stores"), withBearer(access, "/v1/models")];
    return (await Promise.all(answers)).flatMap(({ body }) =>
      (body as { data: { id: string }[] }).data.map(({ id: name }) => name),
    );
  };
  expect(await reads()).toEqual(["secrets", "inference/ask", "agent/helper"]);
  await world.panel.send("PATCH", `/users/${id}`, { role: "member" });
  expect(await reads()).toEqual(["agent/helper"]);
  await world.panel.send("PATCH", `/users/${id}`, { role: "admin" });
  expect(await reads()).toEqual(["agent/helper"]);
});

const LISTED = { list_complete: true, cacheStatus: null } as const;

test("the oldest unused registrations make room, those of the same network first", async () => {
  const from = async (address: string) => {
    const headers = { "X-Forwarded-For": address, "Content-Type": "application/json" };
    const body = JSON.stringify({ client_name: `From ${address}`, redirect_uris: [CALLBACK] });
    const answer = await call("POST", "/oauth/register", { headers, body });
    return `client:${(answer.body as { client_id: string }).client_id}`;
  };
  const keys = async () => {
    const page = await env.OAUTH_KV.list<{ network: string }>({ prefix: "client:" });
    return new Map(page.keys.map(({ name, metadata }) => [name, metadata?.network]));
  };
  const used = `client:${(await connected(admin)).clientId}`;
  const clientsOf = async (address: string) =>
    [...(await keys())].filter(([, network]) => network === address);
  const first = await from("192.0.2.7");
  // Fifty of one network, as they are stored.
  const { metadata } = await env.OAUTH_KV.getWithMetadata(first);
  const day = Math.floor(Date.now() / 1_000) + 86_400;
  for (let at = 1; at < 50; at++)
    await env.OAUTH_KV.put(`client:of-one-network-${at}`, "{}", { metadata, expiration: day - at });
  const last = await from("192.0.2.7");
  const own = await clientsOf("192.0.2.7");
  expect([own.length, own.some(([key]) => key === "client:of-one-network-49")]).toEqual([
    50,
    false,
  ]);
  expect(own.map(([key]) => key)).toContain(last);
  expect([...(await keys()).keys()]).toContain(used);

  // The namespace as it answers when it is full: to write a thousand keys takes half a minute.
  const otherClients = Array.from({ length: 1_000 }, (_, at) => ({
    name: `client:another-${at}`,
    expiration: day - at,
    metadata: { name: "Another", network: `192.0.2.${at}` },
  }));
  const deleted: string[] = [];
  const list = vi.spyOn(env.OAUTH_KV, "list").mockResolvedValue({ keys: otherClients, ...LISTED });
  const deleteSpy = vi.spyOn(env.OAUTH_KV, "delete").mockImplementation(async (key) => {
    await Promise.resolve(deleted.push(key));
  });
  const { status } = await register();
  list.mockRestore();
  deleteSpy.mockRestore();
  expect([status, deleted]).toEqual([201, ["client:another-999"]]);

  await admin.open("/panel/tokens/programs");
  expect(admin.text).toMatch(/[56]\d unused registrations/);
  await admin.open("/panel/tokens/programs/unused");
  expect(admin.text).toMatch(/From 192\.0\.2\.7 192\.0\.2\.7/);
  expect((await member.post("/panel/tokens/programs/unused")).status).toBe(403);
  expect((await admin.post("/panel/tokens/programs/unused")).status).toBe(303);
  expect([...(await keys()).keys()]).toEqual(expect.not.arrayContaining([last]));
  expect([...(await keys()).keys()]).toContain(used);
});

test("a connection ends with its person, and 90 days after its last use", async () => {
  const { access_token: unused, refresh_token: last, clientId } = await connected(admin);
  await toolsOf(unused);
  const days = async () => {
    const row = await env.DB.prepare("select expires_at from tokens where id = ?")
      .bind(idOf(unused))
      .first<{ expires_at: number }>();
    return ((row?.expires_at ?? 0) - Date.now()) / 86_400_000;
  };
  expect(await days()).toBeCloseTo(90, 1);
  await env.DB.prepare("update tokens set expires_at = 5, last_used_at = 4 where id = ?")
    .bind(idOf(unused))
    .run();
  await world.panel.send("POST", "/keys", { name: "forgets what was looked up", role: "member" });
  expect(await toolsOf(unused)).toBe(401);
  expect((await refresh(clientId, last)).status).toBe(400);
  await world.panel.send("PATCH", "/rags/notes", { openToMembers: true });
  const { access_token: access } = await connected(member);
  await world.panel.send("DELETE", `/users/${memberId}`);
  expect(await toolsOf(access)).toBe(401);
});

test("no code, token or secret is stored or logged in clear", async () => {
  const lines: string[] = [];
  const spies = (["info", "warn", "error", "log"] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((...args: unknown[]) => {
      lines.push(args.map(String).join(" "));
    }),
  );
  const { body } = await register({ token_endpoint_auth_method: "client_secret_post" });
  const { client_id: clientId, client_secret: secret } = body as Record<string, string>;
  const code = await allow(admin, clientId ?? "");
  const first = await redeem(clientId ?? "", code, { client_secret: secret });
  const { access_token: access, refresh_token: last } = first.body;
  await toolsOf(access);
  await toolsOf(`${access.slice(0, -1)}~`);
  await redeem(clientId ?? "", code, { client_secret: "wrong" });
  await refresh(clientId ?? "", `${last}x`, { client_secret: secret });
  for (const spy of spies) spy.mockRestore();
  const texts = [...lines];
  const { results: tables } = await env.DB.prepare(
    "select name from sqlite_master where type = 'table' and name not like '%\\_%' escape '\\'",
  ).all<{ name: string }>();
  for (const table of [...tables.map(({ name }) => name), "audit_events"]) {
    const { results } = await env.DB.prepare(`select * from ${table}`).all();
    texts.push(JSON.stringify(results));
  }
  const { keys } = await env.OAUTH_KV.list();
  for (const { name } of keys) texts.push(name, (await env.OAUTH_KV.get(name)) ?? "");
  expect(texts.join("\n")).toContain(idOf(access));
  const secrets = [code, access, last].map((text) => text.split(":").at(-1) ?? "");
  expect(secrets.every((text) => text.length > 20)).toBe(true);
  for (const clear of [...secrets, secret ?? ""]) {
    expect(texts.filter((text) => text.includes(clear))).toEqual([]);
  }
});
