import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";

import { composeServices } from "../../../src/compose.ts";
import { syncGroups } from "../../../src/ingestion/readers/sync-groups.ts";
import { Browser } from "../../support/browser-without-script.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, signedIn } from "../../support/worker-client.ts";

const browser = new Browser();
await browser.signIn();
const api = await signedIn();
afterAll(queuesSettled);

async function textOf(address: string) {
  await browser.open(address);
  return browser.text;
}

test("permissions of a source are previewed, switched on and shown with each file", async () => {
  await api.send("POST", "/file-sources", { name: "Vault", provider: "file_system" });
  const readers = { "X-File-Readers": '["user:ann@example.com"]' };
  await api.put("/file-sources/vault/files/a.md", "A note.", "text/markdown", readers);
  await api.put("/file-sources/vault/files/b.md", "A note.", "text/markdown");
  const path = "/panel/sources/vault/permissions";
  const previewed = async (defaultReaders: string) => {
    const typed = new URLSearchParams({ permissions: "on", defaultReaders, preview: "on" });
    return await textOf(`${path}?${typed.toString()}`);
  };
  expect(await previewed("")).toMatch(/2 files\. Nobody could read 1\..*b\.md/);
  expect(await previewed("group:hr@example.com")).toMatch(/Somebody could read each/);
  expect(browser.html).toMatch(/<textarea[^>]*>\s*group:hr@example.com</);
  // A preview lists the source: the page does not repeat it by itself.
  expect(browser.html).not.toContain("data-refresh");
  expect(await previewed("user:ann")).toContain("must be user: and an address");
  const response = await browser.post(path, { permissions: "on", defaultReaders: "ann" });
  expect(response.status).toBe(400);
  expect(browser.html).toContain("must be user: and an address");
  await browser.post(path, { permissions: "on", defaultReaders: "" });
  expect(await textOf(path)).toMatch(/Nobody can read 1\./);
  const file = "/panel/sources/vault/file?path=a.md";
  const text = await textOf(`${file}&reader=ann@example.com`);
  expect(text).toMatch(/may read it ?, by user:ann@example.com \(push\)/);
  expect(await textOf(`${file}&reader=bob@example.com`)).toContain("may not read it");
  expect(await textOf(`${file}&reader=user:ann@example.com`)).toContain("not a person's address");
  expect(await textOf("/panel/sources/vault/file?path=b.md")).toMatch(/Readers: nobody/);

  const shared = { readers: ["group:hr@example.com"] };
  await api.send("PATCH", "/file-sources/vault/files/a.md/readers", shared);
  const changes = [{ field: "readers", from: ["user:ann@example.com"], to: shared.readers }];
  expect((await api.send("GET", "/audit?limit=1")).body).toMatchObject({ data: [{ changes }] });
  await api.send("POST", "/rags", { name: "Vault", fileSource: "vault" });
  await syncGroups(composeServices(env, createExecutionContext()));
  const source = await textOf("/panel/sources/vault");
  expect(source).toContain("Nobody can read 1 of 2 files.");
  expect(source).toContain("1 file is shared with groups whose members are not known");
  expect(source).toContain("See permissions");
  const tab = await textOf(path);
  expect(tab).toMatch(/group:hr@example\.com +1 file: its source lists no members/);
  expect(tab).not.toContain("See permissions");
  const call = await textOf("/panel/search?rag=vault&q=note&reader=j%25o@x.org&groups=hr,+staff");
  expect(call).toMatch(
    /-H (?:'|&#39;)Quarry-Reader: j%25o@x\.org(?:'|&#39;) .*-H (?:'|&#39;)Quarry-Groups: hr, staff(?:'|&#39;)/,
  );
  expect(call).toMatch(/Quarry-Reader(?:"|&quot;): (?:"|&quot;)j%25o@x\.org/);
  expect(browser.html).toContain('<details class="options" open');
  const overview = await textOf("/panel");
  expect(overview).toMatch(/Source Vault has 1 file that nobody can read\./);
  await browser.post(path, { permissions: "off", defaultReaders: "" });
  expect(await textOf("/panel/sources/vault")).not.toContain("Nobody can read");
  expect(await textOf("/panel")).not.toContain("nobody can read");
});

test("a source whose provider reports no permissions says so", async () => {
  const config = { token: "t", apiBaseUrl: "https://localhost" };
  await api.send("POST", "/file-sources", { name: "Garden", provider: "notion", config });
  const sentence =
    "Notion reports no permissions: if they are on, every file has the default readers.";
  expect(await textOf("/panel/sources/garden/permissions")).toContain(sentence);
  expect(await textOf("/panel/sources/vault/permissions")).not.toContain("reports no permissions");
});

test("a token's reader is chosen: none, each call's, or one person", async () => {
  const form = await textOf("/panel/tokens/new");
  expect(form).toMatch(
    /Reader None: .* Each call names its reader: .* One person: .*Email address/,
  );
  const createToken = async (fields: Record<string, string>) => {
    const { status } = await browser.post("/panel/tokens/new", {
      name: "t",
      "rags.reach": "all",
      ...fields,
    });
    return [status, /Email address must be|names readers|reads as [^ ]+/.exec(browser.text)?.[0]];
  };
  const person = "ann@example.com";
  expect(await createToken({ "reader.reach": "none", reader: person })).toEqual([303, undefined]);
  expect(await createToken({ "reader.reach": "some", reader: "" })).toEqual([
    400,
    "Email address must be",
  ]);
  expect(await createToken({ "reader.reach": "named", reader: "" })).toEqual([
    303,
    "names readers",
  ]);
  expect(await createToken({ "reader.reach": "some", reader: person })).toEqual([
    303,
    `reads as ${person}`,
  ]);
});

test("a call whose reader cannot count is told so, and what to do instead", async () => {
  await api.send("POST", "/file-sources", {
    name: "P",
    provider: "file_system",
    permissions: "on",
  });
  await api.create("/rags", { name: "P", fileSource: "p" });
  const { key } = await api.create("/keys", { name: "k", role: "admin" });
  const { token } = await api.create("/tokens", { name: "t", rags: ["*"] });
  const answerTo = async (method: string, path: string, credential: unknown, more = {}) => {
    const headers = { Authorization: `Bearer ${String(credential)}`, ...more };
    const init = method === "GET" ? { headers } : { headers, body: '{"semanticSearch":["note"]}' };
    const { status, body } = await call(method, path, init);
    return [status, JSON.stringify(body)];
  };
  const reader = { "Quarry-Reader": "ann@example.com" };
  const unread = expect.stringContaining("are not read here: a search takes reader");
  expect(await answerTo("GET", "/panel/api/rags", key, reader)).toEqual([400, unread]);
  const advice = expect.stringContaining("create a token with a reader");
  const retrieve = ["POST", "/api/rags/p/retrieve", token] as const;
  expect(await answerTo(...retrieve)).toEqual([400, advice]);
  const refusal = expect.stringContaining("has no reader, and may not name");
  expect(await answerTo(...retrieve, reader)).toEqual([403, refusal]);
  for (const lax of ["ann", "@", "a@b@c", "a b@c", "user:a@b"]) {
    const search = await api.send("POST", "/rags/p/search", { semanticSearch: ["x"], reader: lax });
    const creation = await api.send("POST", "/tokens", { name: "t", rags: ["*"], reader: lax });
    expect([lax, search.status, creation.status]).toEqual([lax, 400, 400]);
  }
});

test("who reads every file is told so", async () => {
  expect(await textOf("/panel/settings/keys")).toContain("A key of either role reads every file");
  expect(await textOf("/panel/account")).toContain("may change everything, and reads every file");
});
