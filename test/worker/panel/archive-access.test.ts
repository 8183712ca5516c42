import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { rowsOf } from "../../support/statements.ts";
import { signedIn, outcomeOf, withKey, withToken } from "../../support/worker-client.ts";
import { admin, beginAsAdmin, exported, imported } from "./archive-world.ts";

const PASSWORD = "quiet amber lantern";
const EVERYTHING = "all=true&access=true";
const question = { semanticSearch: ["first stone"], topK: 3, includeSources: true };
type Row = { id: string; email: string };

let token: string;
let key: string;
let bytes: Uint8Array<ArrayBuffer>;

const statusOf = async (rag: string) =>
  (await withToken(token).post(`/rags/${rag}/retrieve`, question)).status;
const removeAll = async (...addresses: string[]) => {
  for (const address of addresses)
    expect(outcomeOf(await admin.send("DELETE", address))).toBe("204 ");
};

beforeAll(async () => {
  await beginAsAdmin();
  await admin.folderWithRag("Docs");
  await admin.put("/file-sources/docs/files/a.md", "# Alpha\n\nThe first stone.");
  await admin.create("/inferences", {
    name: "Ask",
    systemPrompt: "",
    model: "embedded/extractive",
    rags: ["docs"],
  });
  const ann = await admin.create<Row>("/users", {
    role: "admin",
    email: "ann@example.com",
    password: PASSWORD,
  });
  const asAnn = await signedIn({ email: "ann@example.com", password: PASSWORD });
  const keyOfAnn = await asAnn.create("/keys", { name: "Backup", role: "admin" });
  const appToken = await admin.create("/tokens", {
    name: "App",
    rags: ["docs"],
    inferences: ["ask"],
  });
  [token, key] = [appToken.token, keyOfAnn.key];
  const limit = { amount: 5, unit: "calls", period: "month" };
  for (const subject of [
    { kind: "token", id: appToken.id },
    { kind: "inference", id: "ask" },
  ]) {
    await admin.create("/limits", { subject, ...limit });
  }
  await queuesSettled();
  bytes = await exported(EVERYTHING);
  expect(await statusOf("docs")).toBe(200);
  await removeAll(`/users/${ann.id}`, `/tokens/${appToken.id}`, "/inferences/ask");
  await removeAll("/rags/docs", "/file-sources/docs");
  await queuesSettled();
});

test("an archive has hashes of tokens and keys, and no other secret", async () => {
  const text = new TextDecoder("latin1").decode(bytes);
  const [row] = await rowsOf<{ hash: string }>("select password_hash as hash from users");
  expect(text).toContain('"createdBy":"ann@example.com"');
  for (const secret of [token, key, PASSWORD, row?.hash ?? "", "scrypt$"]) {
    expect(secret.length).toBeGreaterThan(5);
    expect(text).not.toContain(secret);
  }
  const plain = new TextDecoder("latin1").decode(await exported("all=true"));
  expect(plain).not.toContain("access.json");
  expect((await withKey(key)("GET", "/rags")).status).toBe(401);
});

test("an import can leave out users, tokens and keys", async () => {
  const query = "onConflict=rename&suffix=bare&withoutAccess=true";
  const { things } = await imported(bytes, query);
  expect(things.filter(({ thing }) => /^(?:users|keys|tokens)\./.test(thing))).toEqual([]);
  expect(await rowsOf("select id from tokens")).toEqual([]);
  await removeAll("/inferences/ask", "/rags/docs", "/file-sources/docs");
  await queuesSettled();
});

test("tokens and keys work after an import; people get no password", async () => {
  expect(await statusOf("docs")).toBe(401);
  const { things } = await imported(bytes);
  const outcomes = Object.fromEntries(things.map(({ thing, outcome }) => [thing, outcome]));
  expect(outcomes).toMatchObject({
    "users.admin@localhost": "skipped",
    "users.ann@example.com": "made",
    "keys.Backup": "made",
    "tokens.App": "made",
  });
  expect(await statusOf("docs")).toBe(200);
  const inference = await withToken(token).post("/inferences/ask", {
    prompt: "stone?",
    semanticSearch: ["stone"],
  });
  expect(inference.status).toBe(200);
  expect((await withKey(key)("GET", "/rags")).status).toBe(200);
  expect(outcomeOf(await withKey(key)("PATCH", "/rags/docs", { name: "By key" }))).toBe("200 ");
  const { body: limits } = await admin.send("GET", "/limits");
  expect(limits).toMatchObject({ total: 2 });
  const rows = await rowsOf("select email, password_hash as hash from users order by email");
  expect(rows).toMatchObject([
    { email: "admin@localhost", hash: expect.stringContaining("scrypt$") },
    { email: "ann@example.com", hash: "" },
  ]);
  for (const password of ["", PASSWORD]) {
    const answer = await new Browser().post("/panel/sign-in", {
      email: "ann@example.com",
      password,
    });
    expect(answer.status).not.toBe(200);
  }
});

test("a person of an archive comes in by an invitation, in the same role", async () => {
  const invite = async () =>
    await admin.send("POST", "/invitations", { email: "Ann@example.com", role: "member" });
  const invitation = await invite();
  expect(invitation).toMatchObject({ status: 201, body: { role: "admin" } });
  const { link } = invitation.body as { link: string };
  const code = link.split("code=")[1] ?? "";
  const join = async (password: string) =>
    (await new Browser().post("/panel/invitation", { code, password })).status;
  expect(await join("copper violet harbour")).toBe(200);
  expect(await join("another good password")).toBe(401);
  const { send } = await signedIn({ email: "ann@example.com", password: "copper violet harbour" });
  expect((await send("GET", "/session")).body).toMatchObject({ user: { role: "admin" } });
  expect(outcomeOf(await invite())).toBe("409 E-mail address is taken");
});

test("the same archive under other names gives a token nothing more, nor a limit", async () => {
  const { things } = await imported(bytes, "onConflict=rename");
  const names = things.map(({ thing, outcome, as }) => [thing, as ?? outcome]);
  expect(Object.fromEntries(names)).toMatchObject({
    "rags.docs": "docs-2",
    "tokens.App": "skipped",
    "limits.inference ask calls month": "inference ask-2 calls month",
  });
  expect(await statusOf("docs-2")).toBe(403);
});

test("a token of an archive names only what the archive has, by its name here", async () => {
  await env.DB.prepare("delete from tokens").run();
  await imported(bytes, "onConflict=rename&suffix=3");
  expect([await statusOf("docs-3"), await statusOf("docs")]).toEqual([200, 403]);
});

test("neither members nor their keys export who may use the service", async () => {
  const member = { email: "reader@example.com", password: PASSWORD };
  await admin.create("/users", { role: "member", ...member });
  const asMember = await signedIn(member);
  const { key: ofMember } = await admin.create("/keys", { name: "Reading", role: "member" });
  const calls = [asMember.send, withKey(ofMember)];
  for (const send of calls) {
    expect(outcomeOf(await send("GET", `/archive?${EVERYTHING}`))).toBe("403 Forbidden");
  }
});

test("a replaced source sends its secret to no address of an archive", async () => {
  const config = (host: string) => ({
    endpoint: `https://${host}.example.com`,
    bucket: "docs",
    region: "auto",
    credentials: { accessKeyId: "id", secretAccessKey: "s3cret" },
  });
  const source = { name: "Store", provider: "object_storage", config: config("archived") };
  await admin.create("/file-sources", { ...source, scanIntervalMinutes: 0 });
  const archive = await exported("sources=store");
  const storedEndpoints = async () =>
    await rowsOf(
      `select sealed_secrets is not null as secret, config ->> '$.endpoint' as endpoint
        from file_sources where identifier = 'store'`,
    );
  await imported(archive, "onConflict=replace");
  expect(await storedEndpoints()).toEqual([
    { secret: 1, endpoint: "https://archived.example.com" },
  ]);
  const cursor = () =>
    rowsOf("select change_cursor as cursor from file_sources where name = 'Store'");
  await env.DB.prepare("update file_sources set change_cursor = 'later than the archive'").run();
  await imported(archive, "onConflict=replace");
  // Else changes between the archive and now were never listed.
  expect(await cursor()).toEqual([{ cursor: null }]);
  const change = await admin.send("PATCH", "/file-sources/store", { config: config("own") });
  expect(outcomeOf(change)).toBe("200 ");
  await imported(archive, "onConflict=replace");
  expect(await storedEndpoints()).toEqual([
    { secret: 0, endpoint: "https://archived.example.com" },
  ]);
});
