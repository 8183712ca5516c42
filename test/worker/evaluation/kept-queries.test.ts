import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { DAY_MS } from "../../../src/core/time.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { indexedWorld, question } from "./world.ts";

test("queries of programs are kept where that is wished, grouped, and purged", async () => {
  const { world, rag, panel } = await indexedWorld(2);
  const { send, page, ask } = panel;
  const { body: creation } = await send("POST", "/tokens", { name: "site", rags: [rag] });
  const search = async (query: string) => {
    const answer = await ask(`/api/rags/${rag}/retrieve`, creation.token, {
      semanticSearch: [query],
    });
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
  // Somebody who tries a search in the panel is not listened to, and a prompt is no query.
  const mine = { semanticSearch: ["mine alone"] };
  await send("POST", `/rags/${rag}/search`, mine);
  expect((await send("POST", `/../../api/rags/${rag}/retrieve`, mine)).status).toBe(200);
  await Promise.all(world.background.splice(0));
  expect(await rows()).toBe(4);
  const { status, text } = await page("/panel/asked");
  expect(status).toBe(200);
  expect(text).not.toContain("mine alone");
  expect(text).toContain("&lt;b&gt;mosses&lt;/b&gt;");
  expect(text).not.toContain("<b>");
  const [unicorns, weight] = ["about UNICORNS", question(0, 0)].map((phrase) =>
    text.indexOf(phrase),
  );
  expect(unicorns).toBeGreaterThan(0);
  expect(weight).toBeGreaterThan(unicorns ?? 0);
  expect(text).toMatch(/about UNICORNS[^]*?<td class="num"[^>]*>2<\/td>/);
  expect(text).toContain(`/panel/search?rag=${rag}&amp;q=about+UNICORNS`);
  expect(text).toContain(`/panel/new/question?rag=${rag}&amp;question=about+UNICORNS`);

  const own = { systemPrompt: "Answer.", model: "local/m", rags: [rag] };
  await send("POST", "/inferences", { name: "Scales", ...own });
  await send("POST", "/agents", { name: "Helper", ...own });
  const all = { rags: ["*"], inferences: ["*"], agents: ["*"] };
  const { body: program } = await send("POST", "/tokens", { name: "all", ...all });
  const by = async (path: string, body: object) => {
    expect((await ask(path, program.token, body)).status).toBe(200);
    await Promise.all(world.background.splice(0));
  };
  const tool = (name: string, input: object) => {
    return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } };
  };
  const inference = { prompt: "a prompt", semanticSearch: ["asked by inference"] };
  await by("/api/inferences/scales", inference);
  await by("/api/inferences/scales/retrieve", { ...inference, semanticSearch: ["only found"] });
  await by("/api/agents/helper/invoke", { prompt: "a prompt" });
  const messages = [{ role: "user", content: "asked by chat" }];
  await by("/v1/chat/completions", { model: "inference/scales", messages });
  // A round of the caller's functions asks nothing new.
  const called = { id: "1", type: "function", function: { name: "get", arguments: "{}" } };
  const round = [
    { role: "assistant", tool_calls: [called] },
    { role: "tool", tool_call_id: "1", content: "rain" },
  ];
  const rounds = { model: "inference/scales", messages: [...messages, ...round] };
  await by("/v1/chat/completions", rounds);
  await by(`/v1/vector_stores/${rag}/search`, { query: "asked of a vector store" });
  await by("/mcp", tool("search", { query: "asked by a tool" }));
  await by("/mcp", tool("ask_scales", { prompt: "a prompt", search: "asked by a runner" }));
  const retrieval_setting = { top_k: 2, score_threshold: 0 };
  await by("/dify/retrieval", { knowledge_id: rag, query: "asked by Dify", retrieval_setting });
  const { results } = await env.DB.prepare("select query from kept_queries where at >= ?1")
    .bind(world.now)
    .all<{ query: string }>();
  expect(results.map(({ query }) => query).sort()).toEqual([
    "asked by Dify",
    "asked by a runner",
    "asked by a tool",
    "asked by chat",
    "asked by inference",
    "asked of a vector store",
    "only found",
  ]);

  world.now += 8 * DAY_MS;
  await search("of today");
  await sweep(world.services);
  expect(await rows()).toBe(1);
  world.services.config = { ...world.services.config, KEEP_QUERIES_DAYS: 0 };
  await sweep(world.services);
  expect(await rows()).toBe(0);
});
