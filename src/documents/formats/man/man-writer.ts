import { foldSpace } from "../../writing/fold-space.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { longer } from "../../writing/bounded-text.ts";
import { markerFor } from "../office/list-labels.ts";

type Item = { tag: string; marker: string; depth: number };

const BULLET = /^(?:[•·○□*-]|o|\u2022)$/;
const BULLET_START = /^[•·○□]\s*/;
/** A longer line above an indented part is no tag. */
const MAX_TAG_CHARACTERS = 150;
const NUMBER = /^\(?\d{1,3}[.)]$/;

export class ManWriter {
  title: string | null = null;
  #text = "";
  /** Set where the next text follows without a space. */
  #isGlued = true;
  isLiteral = false;
  #awaitsTag = false;
  #item: Item | null = null;
  #inItem = false;
  readonly #around: { inItem: boolean; depth: number }[] = [];
  #depth = 0;
  readonly #out: MarkdownBuilder;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  setTitle(name: string, section: string): void {
    if (name === "" || this.title !== null) return;
    this.title = section === "" ? name : `${name}(${section})`;
    this.#out.heading(1, this.title);
  }

  heading(level: number, text: string): void {
    this.literal(false);
    this.paragraph();
    this.#around.length = 0;
    this.#inItem = false;
    this.#depth = 0;
    this.#out.heading(level, text);
  }

  add(text: string, isGlued = false): void {
    if (this.#awaitsTag && text.trim() !== "") {
      this.#awaitsTag = false;
      const before = this.#item?.tag ?? "";
      const tag = before === "" ? text : `${before}, ${text}`;
      this.#item = { tag: foldSpace(tag), marker: "-", depth: this.#depth };
      return;
    }
    const gap = this.isLiteral ? "\n" : " ";
    const isJoined = isGlued || this.#isGlued || this.#text === "";
    this.#text = longer(this.#text, isJoined ? text : gap + text);
    this.#isGlued = false;
  }

  glue(): void {
    this.#isGlued = true;
  }

  breakLine(): void {
    if (this.#text === "" || this.isLiteral) return;
    this.#text = longer(this.#text, "\n");
    this.#isGlued = true;
  }

  literal(isLiteral: boolean): void {
    if (this.isLiteral !== isLiteral) this.flush();
    this.isLiteral = isLiteral;
  }

  paragraph(): void {
    this.flush();
    this.#endItem();
    this.#inItem = this.#around.at(-1)?.inItem ?? false;
  }

  /** The next text is the tag of an item; `isMore`: a further tag of the same. */
  awaitTag(isMore = false): void {
    if (!isMore) {
      this.flush();
      this.#endItem();
    }
    this.#awaitsTag = true;
  }

  startItem(label: string): void {
    this.flush();
    const tag = foldSpace(label);
    if (tag === "") return;
    this.#endItem();
    const isNumber = NUMBER.test(tag);
    const { marker } = isNumber ? markerFor(tag) : { marker: "-" };
    const isShown = !isNumber && !BULLET.test(tag);
    this.#item = { tag: isShown ? tag : "", marker, depth: this.#depth };
  }

  /** Begins an indented part: it belongs to the open item, or to a short line above it. */
  indent(): void {
    const tag = foldSpace(this.#text);
    const isTag = tag.length <= MAX_TAG_CHARACTERS && /(?:[^.:;!?]|\.\.\.)$/.test(tag);
    if (isTag && this.#item === null && !this.isLiteral) {
      this.#text = "";
      this.#item = { tag, marker: "-", depth: this.#depth };
    } else this.flush();
    const inItem = this.#inItem || this.#item !== null;
    this.#around.push({ inItem, depth: this.#depth });
    if (inItem) this.#depth++;
  }

  outdent(): void {
    this.flush();
    this.#endItem();
    const { depth } = this.#around.pop() ?? { depth: 0 };
    this.#depth = depth;
    this.#inItem = this.#around.at(-1)?.inItem ?? false;
  }

  flush(): void {
    const text = this.#text;
    this.#text = "";
    this.#isGlued = true;
    if (text.trim() === "") return;
    if (this.isLiteral) {
      this.#endItem();
      this.#out.code(text);
    } else this.#write(text);
  }

  #endItem(): void {
    this.#awaitsTag = false;
    const item = this.#item;
    this.#item = null;
    if (item === null || item.tag === "") return;
    this.#out.listItem(item.depth, item.marker, item.tag);
    this.#inItem = true;
  }

  #write(text: string): void {
    const item = this.#item;
    this.#item = null;
    const bullet = BULLET_START.exec(text)?.[0];
    if (item !== null) {
      const { tag, marker, depth } = item;
      this.#out.listItem(depth, marker, tag === "" ? text : `${tag}\n${text}`);
      this.#inItem = true;
    } else if (bullet !== undefined) {
      this.#out.listItem(this.#depth, "-", text.slice(bullet.length));
    } else if (this.#inItem) this.#out.itemParagraph(Math.max(0, this.#depth - 1), text);
    else this.#out.paragraph(text);
  }
}
