import { Client } from "@notionhq/client";
import { expect, onTestFinished, test } from "vitest";

import { block } from "../doubles/notion/entries.ts";
import { BASE, NotionDouble } from "../doubles/notion/notion-double.ts";
import { serveFetch } from "../doubles/serve-fetch.ts";

async function served(double: NotionDouble, auth = double.token) {
  const { address, stop } = await serveFetch(double.fetch, BASE);
  onTestFinished(() => stop());
  const retry = { maxRetries: 1, initialRetryDelayMs: 1, maxRetryDelayMs: 1 };
  return new Client({ auth, baseUrl: address, notionVersion: "2026-03-11", retry });
}

test("Notion's own client searches, queries and reads the double page by page", async () => {
  const double = new NotionDouble();
  double.pageSize = 1;
  const top = double.page(null, "Handbook", [
    block("toggle", "More", [block("paragraph", "Moss.")]),
  ]);
  const [database, source] = double.database(top, "Tasks");
  const rows = [double.row(source, "One"), double.row(source, "Two")];
  const client = await served(double);
  const sort = { timestamp: "last_edited_time", direction: "ascending" } as const;
  const first = await client.search({ sort });
  expect(first).toMatchObject({
    has_more: true,
    results: [{ object: "page", id: top, parent: { type: "workspace" } }],
  });
  const second = await client.search({ sort, start_cursor: first.next_cursor });
  expect(second.results).toMatchObject([
    {
      object: "data_source",
      id: source,
      database_parent: { page_id: top },
      parent: { database_id: database },
    },
  ]);
  const page = await client.dataSources.query({ data_source_id: source });
  expect(page).toMatchObject({
    results: [{ id: rows[0], parent: { data_source_id: source } }],
    request_status: { type: "complete" },
  });
  const next = await client.dataSources.query({
    data_source_id: source,
    start_cursor: page.next_cursor ?? "",
  });
  expect(next).toMatchObject({ results: [{ id: rows[1] }], has_more: false });
  const retrieved = await client.databases.retrieve({ database_id: database });
  expect(retrieved).toMatchObject({
    data_sources: [{ id: source, name: "Tasks" }],
    parent: { page_id: top },
  });
  expect(await client.dataSources.retrieve({ data_source_id: source })).toMatchObject({
    id: source,
  });
  expect(await client.pages.retrieve({ page_id: top })).toMatchObject({
    in_trash: false,
    is_archived: false,
  });
  const children = await client.blocks.children.list({ block_id: top });
  expect(children.results).toMatchObject([{ type: "toggle", has_children: true }]);
  const [toggle] = children.results;
  const inside = await client.blocks.children.list({ block_id: toggle?.id ?? "" });
  expect(inside.results).toMatchObject([{ type: "paragraph", parent: { block_id: toggle?.id } }]);
  expect(await client.blocks.retrieve({ block_id: inside.results[0]?.id ?? "" })).toMatchObject({
    type: "paragraph",
  });
  const last = await client.blocks.children.list({
    block_id: top,
    start_cursor: children.next_cursor ?? "",
  });
  expect(last.results).toMatchObject([
    { id: database, type: "child_database", child_database: { title: "Tasks" } },
  ]);
});

test("Notion's own client knows the double's refusals, and waits for its limits", async () => {
  const double = new NotionDouble();
  const page = double.page(null, "Page");
  const client = await served(double);
  const stranger = await served(double, "ntn_wrong");
  await expect(stranger.search({})).rejects.toMatchObject({ code: "unauthorized", status: 401 });
  double.hiddenBlocks.add(page);
  await expect(client.pages.retrieve({ page_id: page })).rejects.toMatchObject({
    code: "object_not_found",
    status: 404,
  });
  await expect(client.search({ page_size: 101 })).rejects.toMatchObject({
    code: "validation_error",
  });
  double.hiddenBlocks.clear();
  for (const [status, code] of [
    [429, "rate_limited"],
    [529, "service_overload"],
  ] as const) {
    double.fail({ path: /pages/, status, code, headers: { "retry-after": "1" } });
    double.requests.length = 0;
    expect(await client.pages.retrieve({ page_id: page })).toMatchObject({ id: page });
    expect(double.requests).toHaveLength(2);
  }
});
