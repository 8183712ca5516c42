import { afterAll, expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn } from "../../support/worker-client.ts";

const browser = new Browser();
await browser.signIn();
const api = await signedIn();
afterAll(queuesSettled);

test("permissions of a source are previewed, switched on and shown with each file", async () => {
  await api.send("POST", "/file-sources", { name: "Vault", provider: "file_system" });
  const readers = { "X-File-Readers": '["user:ann@example.com"]' };
  await api.put("/file-sources/vault/files/a.md", "A note.", "text/markdown", readers);
  await api.put("/file-sources/vault/files/b.md", "A note.", "text/markdown");
  const path = "/panel/sources/vault/permissions";
  const texts = async (address: string) => {
    await browser.open(address);
    return browser.html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  };
  const preview = await texts(`${path}?preview=on`);
  expect(preview).toMatch(/2 files ?; 1 nobody could read/);
  expect(preview).toContain("b.md");
  const refused = await browser.post(path, { permissions: "on", defaultReaders: "ann" });
  expect(refused.status).toBe(400);
  expect(browser.html).toContain("must be user:, group: or domain:");
  await browser.post(path, { permissions: "on", defaultReaders: "" });
  expect(await texts(path)).toMatch(/1 nobody can read/);
  const file = "/panel/sources/vault/file?path=a.md";
  const asked = await texts(`${file}&reader=ann@example.com`);
  expect(asked).toMatch(/may read it ?, by user:ann@example.com \(push\)/);
  expect(await texts(`${file}&reader=bob@example.com`)).toContain("may not read it");
  expect(await texts("/panel/sources/vault/file?path=b.md")).toMatch(/Readers: nobody/);
});
