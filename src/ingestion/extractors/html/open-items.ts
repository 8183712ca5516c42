import type { MarkdownBuilder } from "../markdown-builder.ts";

type List = { ordered: boolean; next: number };
/** `marker` is null once the item's first text is written. */
type Item = { marker: string | null; depth: number };

const LISTS = new Set(["ul", "ol", "menu", "dl"]);
const ITEMS = new Set(["li", "dt", "dd"]);

/** The lists and items that are open where a page is being read. */
export class OpenItems {
  readonly #lists: List[] = [];
  readonly #items: Item[] = [];
  readonly #out: MarkdownBuilder;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  /** Whether it is a list or an item that opens. */
  open(name: string, { start = "1" }: Record<string, string>): boolean {
    if (LISTS.has(name)) this.#lists.push({ ordered: name === "ol", next: Number(start) || 1 });
    else if (ITEMS.has(name)) this.#startItem(name);
    else return false;
    return true;
  }

  close(name: string): boolean {
    if (LISTS.has(name)) this.#lists.pop();
    else if (ITEMS.has(name)) this.#items.pop();
    else return false;
    return true;
  }

  /** Writes text of the open item: its first, or a paragraph more. False outside of items. */
  write(text: string): boolean {
    const item = this.#items.at(-1);
    if (item === undefined) return false;
    if (item.marker === null) this.#out.itemParagraph(item.depth, text);
    else this.#out.listItem(item.depth, item.marker, text);
    item.marker = null;
    return true;
  }

  #startItem(name: string): void {
    const depth = Math.max(0, this.#lists.length - 1) + (name === "dd" ? 1 : 0);
    const list = this.#lists.at(-1);
    const marker = list?.ordered === true && name === "li" ? `${list.next++}.` : "-";
    this.#items.push({ marker, depth });
  }
}
