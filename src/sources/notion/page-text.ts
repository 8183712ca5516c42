import { z } from "zod";

import { isObject } from "../../core/is-object.ts";
import { linkMarkdown } from "../../documents/writing/link-text.ts";
import { MarkdownBuilder } from "../../documents/writing/markdown-builder.ts";
import type { ApiClient } from "../api-client.ts";
import { ABSENT, markdownText, plainText, textIn } from "./notion-objects.ts";

const MAX_CALLS = 100;
const MAX_CHARACTERS = 5_000_000;
const ITEMS = new Set(["bulleted_list_item", "numbered_list_item", "to_do", "toggle"]);

/** https://developers.notion.com/reference/block */
const block = z
  .looseObject({ id: z.string(), type: z.string(), has_children: z.boolean().default(false) })
  .transform(({ id, type, has_children: hasChildren, ...content }) => {
    const body = content[type];
    return { id, type, hasChildren, body: isObject(body) ? body : {} };
  });
const blockList = z.object({ results: z.array(block), next_cursor: z.string().nullish() });
type Block = z.infer<typeof block>;

/** Reads the blocks of a page and writes them as Markdown. */
export class PageText {
  readonly #out = new MarkdownBuilder();
  readonly #api: ApiClient;
  readonly #id: string;
  readonly #isLate: () => boolean;
  #calls = 0;
  /** Blocks that are being read: synced blocks may hold copies of each other. */
  readonly #around = new Set<string>();
  /** Rows of the table that is being read. */
  readonly #rows: string[][] = [];
  /** Pages and databases that lie in it, by where the API has them. */
  readonly inside: string[] = [];
  /** Kinds of what could not be read. */
  readonly omissions = new Set<string>();

  constructor(api: ApiClient, id: string, isLate: () => boolean = () => false) {
    this.#api = api;
    this.#id = id;
    this.#isLate = isLate;
  }

  /** Null: the page is not there, or not shared. */
  async read(title: string, values: object): Promise<Uint8Array | null> {
    this.#out.heading(1, title);
    for (const [name, value] of Object.entries(values))
      this.#out.listItem(0, "-", `${name}: ${[value].flat().join(", ")}`);
    this.#out.endList();
    const isRead = await this.#writeAll(this.#id, 0);
    return isRead ? new TextEncoder().encode(this.#out.take()) : null;
  }

  readonly #hasRoom = () =>
    !this.#isLate() && this.#calls < MAX_CALLS && this.#out.length < MAX_CHARACTERS;

  /** Null stands for blocks that cannot be read. */
  async *#blocksIn(id: string): AsyncGenerator<Block | null> {
    let cursor: string | null | undefined;
    while (cursor !== null && this.#hasRoom()) {
      this.#calls += 1;
      const query = { page_size: 100, start_cursor: cursor };
      const address = this.#api.address(`blocks/${encodeURIComponent(id)}/children`, query);
      const page = await this.#api.find(blockList, address, { absent: ABSENT });
      // A cursor is refused once its block was deleted; that edit lets the page be read again.
      if (page === null && cursor !== undefined) this.omissions.add("the end of a list");
      else yield* page?.results ?? [null];
      cursor = page?.next_cursor ?? null;
    }
    const limit = this.#isLate() ? "a minute" : `${MAX_CALLS} calls or 5 MB`;
    if (cursor !== null) this.omissions.add(`what is beyond ${limit}`);
  }

  /** False: it cannot be read. `depth`: list items around it. */
  async #writeAll(id: string, depth: number): Promise<boolean> {
    let number = 0;
    for await (const each of this.#blocksIn(id)) {
      if (each === null) return false;
      number = each.type === "numbered_list_item" ? number + 1 : 0;
      this.#write(each, depth, number);
      await this.#writeInside(each, ITEMS.has(each.type) ? depth + 1 : depth);
      if (each.type === "table")
        this.#out.table(this.#rows.splice(0), each.body["has_column_header"] === true);
    }
    return true;
  }

  async #writeInside({ id, type, body, hasChildren }: Block, depth: number): Promise<void> {
    if (type.startsWith("child_")) this.inside.push(`${type.replace("child_", "")}s/${id}`);
    else if (type === "unsupported") this.omissions.add(textIn(body, "block_type") || type);
    else if (hasChildren || type === "meeting_notes") {
      const original = textIn(body["synced_from"], "block_id") || id;
      const parts = isObject(body["children"]) ? Object.values(body["children"]) : [original];
      for (const part of parts.map(String)) {
        if (!(await this.#writePart(part, id, depth))) this.omissions.add(type);
      }
    }
  }

  /** The copy of a synced block may give nothing, and its original may not be shared. */
  async #writePart(part: string, id: string, depth: number): Promise<boolean> {
    if (this.#around.has(part)) return true;
    this.#around.add(part);
    const isRead =
      (await this.#writeAll(part, depth)) || (part !== id && (await this.#writeAll(id, depth)));
    this.#around.delete(part);
    return isRead;
  }

  #write({ id, type, body }: Block, depth: number, number: number): void {
    const text = this.#textOf(id, type, body);
    const language = textIn(body, "language").replace(/^plain text$| .*/, "");
    const { cells } = body;
    if (Array.isArray(cells)) this.#rows.push(cells.map(markdownText));
    else if (type.startsWith("heading_")) this.#out.heading(Number(type.at(-1)) + 1, text);
    else if (type === "to_do")
      this.#out.listItem(depth, "-", `[${body["checked"] === true ? "x" : " "}] ${text}`);
    else if (ITEMS.has(type)) this.#out.listItem(depth, number > 0 ? `${number}.` : "-", text);
    else if (type === "code") this.#out.code(plainText(body["rich_text"]), language);
    else if (depth > 0) this.#out.itemParagraph(depth - 1, text);
    else if (type === "quote" || type === "callout") this.#out.quote(text);
    else this.#out.paragraph(text);
  }

  #textOf(id: string, type: string, body: Record<string, unknown>): string {
    const linkedId = type.startsWith("child_") ? id : textIn(body, textIn(body, "type"));
    // The addresses of Notion's own files expire; that of the block that shows one lasts.
    const target = linkedId || (isObject(body["file"]) ? `${this.#id}#${id}` : "");
    const own = target && `https://www.notion.so/${target.replaceAll("-", "")}`;
    const address = own || textIn(body["external"], "url") || textIn(body, "url");
    const expression = [{ type: "equation", plain_text: textIn(body, "expression") }];
    if (address === "") return markdownText(body["rich_text"] ?? body["title"] ?? expression);
    const names = [plainText(body["caption"]), textIn(body, "title"), textIn(body, "name")];
    return linkMarkdown(names.find(Boolean) ?? type.replaceAll("_", " "), address);
  }
}
