import { z } from "zod";

import { isObject } from "../../core/is-object.ts";
import { linkMarkdown } from "../../documents/writing/link-text.ts";

/** Statuses for an object that is not there, not shared, or of a kind that the API does not give. */
export const ABSENT = [400, 404];

/** https://developers.notion.com/reference/rich-text */
const richTexts = z.array(z.looseObject({ plain_text: z.string() }));

export const plainText = (value: unknown): string =>
  (richTexts.safeParse(value).data ?? []).map(({ plain_text: text }) => text).join("");

/** Links, code, struck text and equations as Markdown; people, pages and dates by their names. */
export const markdownText = (value: unknown): string =>
  (richTexts.safeParse(value).data ?? [])
    .map((item) => {
      const { plain_text: text, annotations } = item;
      const { code = false, strikethrough = false } = isObject(annotations) ? annotations : {};
      if (text.trim() === "") return text;
      if (textIn(item, "type") === "equation") return `$${text}$`;
      if (code === true && !text.includes("`")) return `\`${text}\``;
      const label = linkMarkdown(text, textIn(item, "href"));
      return strikethrough === true ? `~~${label}~~` : label;
    })
    .join("");

export const textIn = (value: unknown, name: string): string =>
  isObject(value) && typeof value[name] === "string" ? value[name] : "";

/** `page_id` is at `pages/ID`: https://developers.notion.com/reference/parent-object; null: the top */
const parent = z.looseObject({ type: z.string() }).transform((value) => {
  const kind = /^(page|database|data_source|block)_id$/.exec(value.type)?.[1];
  return kind === undefined ? null : `${kind}s/${textIn(value, value.type)}`;
});

/** https://developers.notion.com/reference/page, `/data-source`, `/database`, `/block` */
export const notionObject = z.object({
  object: z.string().min(1),
  id: z.string().min(1),
  parent: parent.nullable().default(null),
  database_parent: parent.nullish(),
  data_sources: z.array(z.object({ id: z.string(), name: z.string() })).default([]),
  title: z.unknown().optional(),
  url: z.string().default(""),
  last_edited_time: z.string().default(""),
  in_trash: z.boolean().default(false),
  is_archived: z.boolean().default(false),
  properties: z.record(z.string(), z.unknown()).default({}),
});
export type NotionObject = z.infer<typeof notionObject>;

export function titleOf({ object, title, properties }: NotionObject): string | null {
  const own = Object.values(properties).map((value) => (isObject(value) ? value["title"] : null));
  const isNamed = object === "page" || object === "data_source";
  return isNamed ? plainText(title ?? own.find(Array.isArray)) : null;
}

type TitleById = (id: string) => string | null;
const LISTS = new Set(["multi_select", "people", "relation", "files"]);
const MAX_LEVELS = 6;
const NAMES = ["name", "type", "start", "end", "prefix"];

/** Values by the names of a page's properties, without its title and what is empty. */
export function valuesOf({ properties }: NotionObject, titleById: TitleById) {
  const entries = Object.entries(properties).flatMap(([name, property]) => {
    const type = textIn(property, "type") || "title";
    const all = type === "title" ? [] : valuesIn(property, titleById, 0);
    const value = all.length > 1 || LISTS.has(type) ? all : all[0];
    return all.length === 0 ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** https://developers.notion.com/reference/page-property-values */
function valuesIn(data: unknown, titleById: TitleById, level: number): unknown[] {
  if (Array.isArray(data)) {
    const text = plainText(data);
    return text === "" ? data.flatMap((item) => valuesIn(item, titleById, level + 1)) : [text];
  }
  if (!isObject(data)) return [data].filter((value) => (value ?? "") !== "");
  const [name, type, start, end, prefix] = NAMES.map((key) => textIn(data, key));
  if (data["object"] === "user" || name || level > MAX_LEVELS) return valuesIn(name, titleById, 0);
  if (type) return valuesIn(data[type], titleById, level + 1);
  if (start) return [[start, end].filter(Boolean).join(" – ")];
  const { number, state, id } = data;
  if (prefix) return [`${prefix}-${String(number)}`];
  return valuesIn(number ?? state ?? titleById(String(id)), titleById, 0);
}
