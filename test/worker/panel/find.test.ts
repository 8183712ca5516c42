import { afterAll, beforeAll, expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn } from "../../support/worker-client.ts";

const MEMBER = { email: "reader@quarry.test", password: "quiet amber lantern" };
const admin = new Browser();
const member = new Browser();

/** Lists the addresses that a search of the page leads to. */
async function addressesOf(browser: Browser, part: string): Promise<string[]> {
  await browser.open(`/panel/find?${new URLSearchParams({ q: part }).toString()}`);
  const [, list = ""] = /<ul id="found"[^>]*>(.*?)<\/ul>/s.exec(browser.html) ?? [];
  return [...list.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href);
}

beforeAll(async () => {
  await admin.signIn();
  const api = await signedIn();
  await api.send("POST", "/users", { ...MEMBER, role: "member" });
  await member.signIn(MEMBER.email, MEMBER.password);
  await api.folderWithRag("Moorland");
  await api.folderWithRag("Moorvault");
  await api.send("PATCH", "/file-sources/moorvault", { permissions: "on" });
  const settings = { systemPrompt: "Answer.", model: "embedded/extractive", rags: ["moorland"] };
  await api.send("POST", "/inferences", { name: "Ask the moor", ...settings });
  await api.send("POST", "/agents", { name: "Moor agent", ...settings });
  await api.send("POST", "/tokens", { name: "For the moor", rags: ["moorland"] });
});
afterAll(queuesSettled);

test("what has a name is found by a part of it, by members what they may see", async () => {
  const open = [
    "/panel/agents/moor-agent",
    "/panel/inferences/ask-the-moor",
    "/panel/rags/moorland",
    "/panel/sources/moorland",
    "/panel/tokens?q=For+the+moor",
  ];
  const closedPages = ["/panel/rags/moorvault", "/panel/sources/moorvault"];
  expect((await addressesOf(admin, "MOOR")).toSorted()).toEqual(
    [...open, ...closedPages].toSorted(),
  );
  expect((await addressesOf(member, "moor")).toSorted()).toEqual(open);
});

test("the form of the dialog leads to the first match; without one it shows the page", async () => {
  const first = async (part: string) => {
    const { status, headers } = await admin.open(`/panel/find?first=on&q=${part}`);
    return [status, headers.get("Location")];
  };
  expect(await first("audit")).toEqual([303, "/panel/settings/log"]);
  expect(await first("ask+the")).toEqual([303, "/panel/inferences/ask-the-moor"]);
  expect(await first("nothing-has-this-name")).toEqual([200, null]);
});

test("pages are found by their names, and every one is there", async () => {
  const pages = await addressesOf(admin, "");
  expect(await addressesOf(admin, "audit")).toEqual(["/panel/settings/log"]);
  expect(await addressesOf(member, "audit")).toEqual([]);
  for (const path of pages) {
    expect({ path, status: (await admin.open(path)).status }).toEqual({ path, status: 200 });
  }
});
