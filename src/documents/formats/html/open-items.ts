import type { BlockTarget } from "../../writing/block-list.ts";
import { formatCount, markerFor } from "../office/list-labels.ts";
import type { Attributes } from "./html-roles.ts";

/** An `ol`'s next number, and how it is shown; null where no numbers are shown. */
type Counter = { next: number; type: string } | null;
/** `marker` is null once the item's first text is written; `prefix` precedes that text. */
type Item = { marker: string | null; prefix: string; depth: number };

const LISTS = new Set(["ul", "ol", "menu", "dl"]);
const ITEMS = new Set(["li", "dt", "dd"]);

export class OpenItems {
  /** The items around a table's cell. */
  readonly around: OpenItems | null;

  readonly #lists: Counter[] = [];
  readonly #items: Item[] = [];

  constructor(around: OpenItems | null = null) {
    this.around = around;
  }

  open(name: string, attributes: Attributes): boolean {
    // A list that counts down begins with the number of its items, which only its end shows.
    const isCounted = name === "ol" && !("reversed" in attributes);
    if (LISTS.has(name)) this.#lists.push(isCounted ? counterOf(attributes) : null);
    else if (ITEMS.has(name)) this.#startItem(name, attributes);
    else return false;
    return true;
  }

  close(name: string): void {
    if (LISTS.has(name)) this.#lists.pop();
    else if (ITEMS.has(name)) this.#items.pop();
  }

  /** Writes text of the open item: its first text or a further paragraph. False outside items. */
  write(text: string, out: BlockTarget): boolean {
    const item = this.#items.at(-1);
    if (item === undefined) return false;
    if (item.marker === null) out.itemParagraph(item.depth, text);
    else out.listItem(item.depth, item.marker, item.prefix + text);
    item.marker = null;
    return true;
  }

  #startItem(name: string, attributes: Attributes): void {
    const depth = Math.max(0, this.#lists.length - 1) + (name === "dd" ? 1 : 0);
    const counter = name === "li" ? this.#lists.at(-1) : null;
    const label = counter ? markerOf(counter, attributes) : { marker: "-", prefix: "" };
    this.#items.push({ ...label, depth });
  }
}

const INTEGER = /^\s*([-+]?\d{1,9})(?!\d)/;
const TYPES = new Set("1 a A i I".split(" "));

const counterOf = (attributes: Attributes) => ({
  next: integerOf(attributes["start"]) ?? 1,
  type: typeOf(attributes) ?? "1",
});

/** Counts an item as a browser does (HTML Standard, "The ol element", "The li element"). */
function markerOf(counter: NonNullable<Counter>, attributes: Attributes) {
  const count = integerOf(attributes["value"]) ?? counter.next;
  counter.next = count + 1;
  return markerFor(`${formatCount(typeOf(attributes) ?? counter.type, count)}.`);
}

function integerOf(text: string | undefined): number | null {
  const digits = INTEGER.exec(text ?? "")?.[1];
  return digits === undefined ? null : Number(digits);
}

const typeOf = ({ type = "" }: Attributes) => (TYPES.has(type) ? type : null);
