import type { Block, Entry } from "./entries.ts";
import { richText } from "./rich-text.ts";

/** As `@notionhq/client` types them, for the version 2026-03-11. */
const BOT = { object: "user", id: "b0700000-0000-4000-8000-000000000000" };

/** Notion's times are rounded down to minutes. */
const minuteOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}:00.000Z`;

function parentOf(parent: Entry | Block | null) {
  if (parent === null) return { type: "workspace", workspace: true };
  const type = `${"kind" in parent ? parent.kind : "block"}_id`;
  return { type, [type]: parent.id };
}

const common = (entry: Entry) => ({
  object: entry.kind,
  id: entry.id,
  created_time: minuteOf(entry.created),
  created_by: BOT,
  last_edited_time: minuteOf(entry.edited),
  last_edited_by: BOT,
  icon: null,
  cover: null,
  url: `https://www.notion.so/${entry.id.replaceAll("-", "")}`,
  public_url: null,
});

export function pageAnswer(entry: Entry, parent: Entry | Block | null, inTrash: boolean) {
  const isRow = parent !== null && "kind" in parent && parent.kind === "data_source";
  const title = { id: "title", type: "title", title: [richText(entry.title)] };
  return {
    ...common(entry),
    parent: { ...parentOf(parent), ...(isRow ? { database_id: parent.parent } : {}) },
    in_trash: inTrash,
    is_archived: entry.isArchived,
    is_locked: false,
    properties: { ...entry.properties, [isRow ? "Name" : "title"]: title },
  };
}

export function sourceAnswer(entry: Entry, database: Entry, above: Entry | Block | null) {
  return {
    ...common(entry),
    parent: parentOf(database),
    database_parent: parentOf(above),
    in_trash: entry.inTrash || database.inTrash,
    is_inline: false,
    title: [richText(entry.title)],
    description: [],
    properties: { Name: { id: "title", name: "Name", type: "title", title: {} } },
  };
}

export function databaseAnswer(entry: Entry, above: Entry | Block | null, sources: Entry[]) {
  return {
    ...common(entry),
    parent: parentOf(above),
    in_trash: entry.inTrash,
    is_inline: false,
    is_locked: false,
    title: [richText(entry.title)],
    description: [],
    data_sources: sources.map(({ id, title }) => ({ id, name: title })),
  };
}

export function blockAnswer(block: Block, parent: Entry | Block) {
  const { id, type, body, children } = block;
  return {
    object: "block",
    id,
    parent: parentOf(parent),
    created_by: BOT,
    last_edited_by: BOT,
    has_children: children.length > 0 || block.hasMore,
    in_trash: false,
    type,
    [type]: body,
  };
}

export function listAnswer(results: unknown[], next: string | null, type: string) {
  return {
    object: "list",
    results,
    next_cursor: next,
    has_more: next !== null,
    type,
    [type]: {},
  };
}

export const errorAnswer = (status: number, code: string, headers: HeadersInit = {}) =>
  Response.json(
    { object: "error", status, code, message: `${code}, in words`, request_id: "r-1" },
    { status, headers },
  );
