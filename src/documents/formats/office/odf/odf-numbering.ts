import type { XmlAttributes } from "../../xml/xml-stream.ts";
import { nextLabel, startOf, type ListLevel } from "../list-labels.ts";
import type { ListMark } from "../text-writer.ts";

/** The style that numbers headings; no list style has this name. */
const OUTLINE = "\0outline";
const MAX_LEVEL = 10;

type List = { style: string; counts: number[] };
type Item = {
  list: List;
  level: number;
  start: string | undefined;
  isShown: boolean;
};

/**
 * List styles and the numbering of headings (ODF 1.3 part 3, §16.30 to §16.34), the open lists, and
 * the counts of lists that may be continued (§5.3).
 */
export class OdfNumbering {
  #style = "";
  readonly #levels = new Map<string, ListLevel>();
  readonly #outline: number[] = [];
  readonly #open: List[] = [];
  #item: Item | null = null;
  readonly #byStyle = new Map<string, number[]>();
  readonly #byId = new Map<string, number[]>();

  readonly onOpen: Record<string, (attributes: XmlAttributes) => void> = {
    "list-style": (attributes) => {
      this.#style = attributes["style:name"] ?? "";
    },
    "outline-style": () => {
      this.#style = OUTLINE;
    },
    "list-level-style-number": (attributes) => this.#define(attributes),
    "outline-level-style": (attributes) => this.#define(attributes),
  };

  #define({ level = "1", ...attributes }: XmlAttributes): void {
    const format = attributes["num-format"] ?? "";
    const [own, depth] = [Number(level), Number(attributes["display-levels"] ?? 1) || 1];
    if (format === "" || !(own <= MAX_LEVEL)) return;
    const first = Math.max(1, own - depth + 1);
    const numbers = Array.from({ length: own - first + 1 }, (_unused, at) => `%${first + at}%`);
    const [before = "", after = ""] = [attributes["num-prefix"], attributes["num-suffix"]];
    this.#levels.set(`${this.#style} ${level}`, {
      format,
      start: startOf(attributes["start-value"]),
      // LibreOffice's own pattern, such as `Article %1%`.
      text: attributes["num-list-format"] || before + numbers.join(".") + after,
    });
  }

  /** `level` counts from 1. */
  #next(style: string, level: number, counts: number[], start: string | undefined): string {
    const begin = start === undefined ? undefined : startOf(start);
    return nextLabel((at) => this.#levels.get(`${style} ${at + 1}`), level - 1, counts, begin);
  }

  headingLabel(level: number, attributes: XmlAttributes): string {
    if (level > MAX_LEVEL || attributes["is-list-header"] === "true") return "";
    return this.#next(OUTLINE, level, this.#outline, attributes["start-value"]);
  }

  openList({ "text:style-name": styleName, ...attributes }: XmlAttributes): void {
    const around = this.#open.at(-1);
    const style = styleName ?? attributes["style-name"] ?? around?.style ?? "";
    const counts = around?.counts ?? this.#continued(attributes, style);
    if (attributes["continue-numbering"] !== "true" && attributes["continue-list"] === undefined)
      counts.length = Math.min(counts.length, this.#open.length);
    this.#open.push({ style, counts });
    this.#byStyle.set(style, counts);
    const id = attributes["xml:id"];
    if (id !== undefined) this.#byId.set(id, counts);
  }

  /** The counts of the earlier list that this one continues; otherwise empty. */
  #continued(attributes: XmlAttributes, style: string): number[] {
    const goesOn = attributes["continue-numbering"] === "true";
    const earlier = this.#byId.get(attributes["continue-list"] ?? "");
    return earlier ?? (goesOn ? this.#byStyle.get(style) : null) ?? [];
  }

  closeList(): void {
    this.#open.pop();
  }

  openItem(attributes: XmlAttributes): void {
    this.closeItem();
    const list = this.#open.at(-1);
    if (list === undefined) return;
    const start = attributes["start-value"];
    this.#item = { list, level: this.#open.length, start, isShown: false };
  }

  skip(): void {
    if (this.#item !== null) this.#item.isShown = true;
  }

  closeItem(): void {
    if (this.#item?.isShown === true) this.take();
    this.#item = null;
  }

  /** The item that this paragraph begins; items that only contain other lists do not count. */
  take(): ListMark | null {
    const item = this.#item;
    if (item === null) return null;
    this.#item = null;
    const { level, list, start } = item;
    const label = this.#next(list.style, level, list.counts, start);
    return { depth: level - 1, label };
  }
}
