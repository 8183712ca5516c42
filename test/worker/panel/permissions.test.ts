import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";

import { composeServices } from "../../../src/compose.ts";
import { syncGroups } from "../../../src/ingestion/readers/sync-groups.ts";
import { Browser } from "../../support/browser-without-script.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn } from "../../support/worker-client.ts";

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
  const preview = await textOf(`${path}?preview=on`);
  expect(preview).toMatch(/2 files\. Nobody could read 1 of them/);
  expect(preview).toContain("b.md");
  const refused = await browser.post(path, { permissions: "on", defaultReaders: "ann" });
  expect(refused.status).toBe(400);
  expect(browser.html).toContain("must be user:, group: or domain:");
  await browser.post(path, { permissions: "on", defaultReaders: "" });
  expect(await textOf(path)).toMatch(/Nobody can read 1 of them/);
  const file = "/panel/sources/vault/file?path=a.md";
  const asked = await textOf(`${file}&reader=ann@example.com`);
  expect(asked).toMatch(/may read it ?, by user:ann@example.com \(push\)/);
  expect(await textOf(`${file}&reader=bob@example.com`)).toContain("may not read it");
  expect(await textOf("/panel/sources/vault/file?path=b.md")).toMatch(/Readers: nobody/);

  const shared = { readers: ["group:hr@example.com"] };
  await api.send("PATCH", "/file-sources/vault/files/a.md/readers", shared);
  await api.send("POST", "/rags", { name: "Vault", fileSource: "vault" });
  await syncGroups(composeServices(env, createExecutionContext()));
  const source = await textOf("/panel/sources/vault");
  expect(source).toContain("Nobody can read 1 of 2 files.");
  expect(source).toContain("1 file is shared with groups whose members are not known");
  expect(await textOf(path)).toMatch(/group:hr@example\.com +1 file: its source tells no members/);
  const call = await textOf("/panel/search?rag=vault&q=note&reader=j%25o@x.org&groups=hr,+staff");
  expect(call).toMatch(
    /-H (?:'|&#39;)Quarry-Reader: j%25o@x\.org(?:'|&#39;) .*-H (?:'|&#39;)Quarry-Groups: hr, staff(?:'|&#39;)/,
  );
  expect(call).toMatch(/Quarry-Reader(?:"|&quot;): (?:"|&quot;)j%25o@x\.org/);
  const overview = await textOf("/panel");
  expect(overview).toMatch(/Source Vault has 1 file that nobody can read\./);
  await browser.post(path, { permissions: "off", defaultReaders: "" });
  expect(await textOf("/panel/sources/vault")).not.toContain("Nobody can read");
  expect(await textOf("/panel")).not.toContain("nobody can read");
});

test("a token's reader is chosen: none, each call's, or one person", async () => {
  const form = await textOf("/panel/tokens/new");
  expect(form).toMatch(
    /Reader None: .* Each call names its reader: .* One person: .*Email address/,
  );
  const made = async (fields: Record<string, string>) => {
    const { status } = await browser.post("/panel/tokens/new", {
      name: "t",
      "rags.reach": "all",
      ...fields,
    });
    return [status, /Email address must be|names readers|reads as [^ ]+/.exec(browser.text)?.[0]];
  };
  const person = "ann@example.com";
  expect(await made({ "reader.reach": "none", reader: person })).toEqual([303, undefined]);
  expect(await made({ "reader.reach": "some", reader: "" })).toEqual([
    400,
    "Email address must be",
  ]);
  expect(await made({ "reader.reach": "named", reader: "" })).toEqual([303, "names readers"]);
  expect(await made({ "reader.reach": "some", reader: person })).toEqual([
    303,
    `reads as ${person}`,
  ]);
});

test("who reads every file is told so", async () => {
  expect(await textOf("/panel/settings/keys")).toContain("A key of either role reads every file");
  expect(await textOf("/panel/account")).toContain("may change everything, and reads every file");
});
