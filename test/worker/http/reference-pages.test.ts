import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { freshAddress, ORIGIN } from "../../support/worker-client.ts";

const PAGES = ["/api/docs", "/api/docs/agents-and-webhooks", "/panel/reference"];

const open = async (path: string, accept = "text/html") =>
  await exports.default.fetch(ORIGIN + path, {
    headers: { Accept: accept, "X-Forwarded-For": freshAddress() },
    redirect: "manual",
  });

test("pages of the reference lead to each other and the panel, with a slash, too", async () => {
  for (const path of PAGES.slice(0, 2)) {
    const text = await (await open(path)).text();
    const links = Array.from(text.matchAll(/<a class="link" href="([^"]+)"/g), ([, to]) => to);
    expect(links).toEqual(["/panel", ...PAGES]);
    const slashed = await open(`${path}/`);
    expect([slashed.status, slashed.headers.get("Location")]).toEqual([301, path]);
  }
});

test("the root names every document to programs", async () => {
  const overview = await (await open("/", "application/json")).json();
  expect(overview).toEqual({
    name: "Quarry",
    panel: `${ORIGIN}/panel`,
    reference: `${ORIGIN}/api/docs`,
    agentsAndWebhooks: `${ORIGIN}/api/docs/agents-and-webhooks`,
    openapi: `${ORIGIN}/api/openapi.json`,
  });
});

test("a document that has not changed is not sent again", async () => {
  const address = `${ORIGIN}/api/openapi.json`;
  const first = await exports.default.fetch(address);
  const tag = first.headers.get("ETag") ?? "";
  expect(tag).toMatch(/^(?:W\/)?"\w+"$/);
  await first.body?.cancel();
  const notModified = await exports.default.fetch(address, { headers: { "If-None-Match": tag } });
  expect([notModified.status, await notModified.text(), notModified.headers.get("ETag")]).toEqual([
    304,
    "",
    tag,
  ]);
  const fresh = await exports.default.fetch(address, { headers: { "If-None-Match": '"x"' } });
  expect([fresh.status, await fresh.json()]).toMatchObject([200, { openapi: "3.1.0" }]);
});
