import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { DAY_MS } from "../../../src/core/time.ts";
import { indexedWorld, question } from "./world.ts";

test("queries of programs are kept where that is wished, grouped, and purged", async () => {
  const { world, rag, panel } = await indexedWorld(2);
  const { send, page, ask } = panel;
  const { body: made } = await send("POST", "/tokens", { name: "site", rags: [rag] });
  const search = async (query: string) => {
    const answer = await ask(`/api/rags/${rag}/retrieve`, made.token, { semanticSearch: [query] });
    expect(answer.status).toBe(200);
    await Promise.all(world.background.splice(0));
    world.now += 1_000;
  };
  const rows = async () =>
    (await env.DB.prepare("select count(*) as n from kept_queries").first<{ n: number }>())?.n;
  await search("never kept");
  expect(await rows()).toBe(0);
  expect((await page("/panel/asked")).text).toContain("KEEP_QUERIES_DAYS");

  world.services.config = { ...world.services.config, KEEP_QUERIES_DAYS: 7 };
  await search(question(0, 0));
  await search("What about unicorns?");
  await search("<b>mosses</b>");
  await search("about UNICORNS");
  // Somebody who tries a search in the panel is not listened to.
  await send("POST", `/rags/${rag}/search`, { semanticSearch: ["mine alone"] });
  expect(await rows()).toBe(4);
  const { status, text } = await page("/panel/asked");
  expect(status).toBe(200);
  expect(text).not.toContain("mine alone");
  expect(text).toContain("&lt;b&gt;mosses&lt;/b&gt;");
  expect(text).not.toContain("<b>");
  const [unicorns, weight] = ["about UNICORNS", question(0, 0)].map((one) => text.indexOf(one));
  expect(unicorns).toBeGreaterThan(0);
  expect(weight).toBeGreaterThan(unicorns ?? 0);
  expect(text).toMatch(/about UNICORNS[^]*?<td class="num">2<\/td>/);
  expect(text).toContain(`/panel/search?rag=${rag}&amp;q=about+UNICORNS`);
  expect(text).toContain(`/panel/new/question?rag=${rag}&amp;question=about+UNICORNS`);

  world.now += 8 * DAY_MS;
  await search("of today");
  await sweep(world.services);
  expect(await rows()).toBe(1);
  world.services.config = { ...world.services.config, KEEP_QUERIES_DAYS: 0 };
  await sweep(world.services);
  expect(await rows()).toBe(0);
});
