import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { BlockList } from "../../writing/block-list.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { isLinkTarget, linkMarkdown } from "../../writing/link-text.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { TextPieces } from "../../writing/text-pieces.ts";
import { TableCollector } from "../html/table-collector.ts";
import { appendDetails } from "./attribute-texts.ts";
import { htmlToLine, htmlToMarkdown } from "./embedded-html.ts";
import { isInlineName, isNamedSection, isOrdered, roleOf } from "./markup-roles.ts";
import { MAX_INDENT, openElement, OpenElements, type Open } from "./open-elements.ts";
import { vocabularyOf, type XmlRole } from "./vocabulary.ts";
import type { XmlAttributes } from "./xml-stream.ts";

/** An event of the parser; null for the end of an element. */
export type XmlEvent = { name: string; attributes: XmlAttributes } | { text: string } | null;

type List = { isOrdered: boolean; next: number };

const KEEPS_SAYINGS = new Set<XmlRole>(["field", "inline", "item", "cell", "heading"]);
const MAX_TEXT_CHARACTERS = 8 << 20;
const PROSE_CHARACTERS = 200;

export class XmlReader {
  title: string | null = null;
  language: string | null = null;
  readonly out = new MarkdownBuilder();
  readonly #text = new TextPieces(MAX_TEXT_CHARACTERS);
  readonly #open = new OpenElements(this.out);
  #silent = 0;
  #quoted = 0;
  readonly #lists: List[] = [];
  /** `says`: texts of its attributes, in brackets after its first words. */
  #item: { marker: string; depth: number; says: string[] } | null = null;
  #table: TableCollector | null = null;
  #inCell = false;
  #inLink = false;

  /** Handles the parser's events here, because the parser itself cannot yield to other work. */
  *read(events: Iterable<XmlEvent>): CooperativeWork<void> {
    for (const event of events) {
      if (event === null) yield* this.#close();
      else if ("name" in event) yield* this.#enterElement(event.name, event.attributes);
      else if (this.#silent === 0) this.#text.add(event.text);
    }
  }

  *#enterElement(name: string, attributes: XmlAttributes): CooperativeWork<void> {
    const around = this.#open.innermost;
    if (around === null) this.language = attributes["xml:lang"] ?? attributes["lang"] ?? null;
    const vocabulary = vocabularyOf(name, attributes, around);
    const role = roleOf(name, attributes, {
      ...vocabulary,
      parent: around?.role ?? null,
      inList: this.#lists.length > 0,
      inTable: this.#table !== null && !this.#inCell,
      isTable: this.#table !== null,
      followsText: this.#text.hasText,
    });
    if (role === "inline") this.#separateInCell(name);
    else if (role !== "break") yield* this.#flush();
    const open = openElement({ ...vocabulary, name, role }, attributes, this.#text.end);
    this.#openLink(open);
    for (const [at, text] of open.says.entries())
      open.says[at] = yield* htmlToLine(text, this.out.leftOut);
    this.#open.push(open);
    this.#enter(open, attributes);
    if (!KEEPS_SAYINGS.has(role)) for (const text of open.says.splice(0)) this.#write(text);
  }

  /** Links inside a link are ignored: their text would be copied for each enclosing link. */
  #openLink(open: Open): void {
    if (open.role !== "inline" || !isLinkTarget(open.href)) return;
    if (this.#inLink) open.href = "";
    this.#inLink = true;
  }

  *#close(): CooperativeWork<void> {
    const open = this.#open.innermost;
    if (open === null) return;
    if (open.role === "inline") this.#closeInline(open);
    else if (open.role !== "break") yield* this.#flush();
    if (open.role === "cell") {
      for (const says of open.says) this.#text.add(` (${says})`);
      const cell = new BlockList();
      cell.paragraph(this.#text.take());
      this.#table?.addCell(cell);
      this.#inCell = false;
    }
    if (open.role === "field" && open.says.length > 0) this.#writeEmpty(open);
    if (open.role === "heading" && open.says.length > 0) this.#write(open.says.join(", "));
    this.#leave(open.role);
    this.#open.pop();
  }

  *finish(): CooperativeWork<void> {
    yield* this.#flush();
    this.#endTable();
  }

  #enter(open: Open, attributes: XmlAttributes): void {
    const { name, role } = open;
    if (role === "silent") this.#silent++;
    else if (role === "quote") this.#quoted++;
    else if (role === "break") this.#text.add("\n");
    else if (role === "item" || role === "detail") this.#startItem(open);
    else if (role === "cell") this.#inCell = true;
    else if (role === "row") this.#table?.startRow();
    else if (role === "table" && this.#table === null) {
      this.#open.nameParentsWithAttributes();
      this.#table = new TableCollector(this.out);
    } else if (role === "list") {
      this.#lists.push({ isOrdered: isOrdered(name, attributes), next: 1 });
    }
  }

  #leave(role: XmlRole): void {
    if (role === "silent") this.#silent--;
    else if (role === "quote") this.#quoted--;
    else if (role === "list") this.#lists.pop();
    else if (role === "item" || role === "detail") this.#endItem();
    else if (role === "table" && !this.#inCell) this.#endTable();
  }

  #endTable(): void {
    this.#table?.end();
    this.#table = null;
  }

  #startItem({ role, says }: Open): void {
    this.#endItem();
    const list = this.#lists.at(-1);
    const marker = list?.isOrdered === true && role === "item" ? `${list.next++}.` : "-";
    const depth = this.#lists.length - (role === "item" ? 1 : 0);
    this.#item = { marker, depth: Math.min(Math.max(depth, 0), MAX_INDENT), says };
  }

  #endItem(): void {
    const { marker, depth, says } = this.#item ?? { marker: "", depth: 0, says: [] };
    this.#item = null;
    if (says.length > 0) this.out.listItem(depth, marker, says.splice(0).join(", "));
  }

  #closeInline(open: Open): void {
    if (isLinkTarget(open.href)) {
      this.#inLink = false;
      this.#text.add(linkMarkdown(this.#text.takeFrom(open.textStart), open.href));
    }
    for (const says of open.says) this.#text.add(` (${says})`);
    this.#separateInCell(open.name);
  }

  #separateInCell(name: string): void {
    if (this.#inCell && !isInlineName(name)) this.#text.add(" ");
  }

  *#flush(): CooperativeWork<void> {
    if (this.#inCell) {
      if (this.#text.length > 0) this.#text.add("\n");
      return;
    }
    if (!this.#text.hasText) {
      if (this.#text.length > 0) this.#text.take();
      return;
    }
    const text = this.#text.take();
    const folded = foldSpace(text);
    if (folded === "") return;
    const { holder } = this.#open;
    if (holder?.role === "heading") this.#writeHeading(folded);
    else if (holder !== null && this.#isValue(holder)) {
      yield* this.#writeField(holder, text, folded);
    } else {
      this.#open.nameParentsWithAttributes();
      if (holder?.role === "code") this.out.code(text, holder.language);
      else this.#write(text);
    }
  }

  #isValue({ role, name }: Open): boolean {
    const isPlain = this.#item === null && this.#quoted === 0;
    return role === "field" || (role === "section" && isPlain && isNamedSection(name));
  }

  #write(text: string): void {
    if (this.#item !== null) {
      const { depth, marker, says } = this.#item;
      this.out.listItem(depth, marker, appendDetails(text.trimEnd(), says.splice(0)));
      this.#item = null;
    } else if (this.#quoted > 0) this.out.quote(text);
    else this.out.paragraph(text);
  }

  #writeHeading(text: string): void {
    const titled = this.#open.findTitledElement();
    const isPlain = /^(table|list|cell|item)$/.test(titled?.role ?? "");
    if (isPlain || /^(figure|fig|caption|note|tip|warning)$/.test(titled?.name ?? "")) {
      this.#write(text);
      return;
    }
    this.title ??= text;
    const level = this.#open.levelOfHeading(titled);
    if (titled !== null) this.#open.markTitled(titled);
    this.out.heading(level, text);
  }

  *#writeField(field: Open, text: string, folded: string): CooperativeWork<void> {
    if (field.name === "language") this.language ??= folded;
    const indent = this.#open.nameParents(field);
    const prose = yield* htmlToMarkdown(text, this.out.leftOut);
    const label = field.isShown ? "" : appendDetails(field.name, field.says.splice(0));
    if (prose.length <= PROSE_CHARACTERS && !/\n\s*\n/.test(prose.trim())) {
      this.out.listItem(indent, "-", label === "" ? prose : `${label}: ${prose.trim()}`);
      return;
    }
    if (label !== "") this.out.listItem(indent, "-", `${label}:`);
    if (prose !== text) this.out.raw(prose);
    else for (const paragraph of text.split(/\n\s*\n/)) this.out.paragraph(paragraph);
  }

  #writeEmpty(field: Open): void {
    const indent = this.#open.nameParents(field);
    this.out.listItem(indent, "-", appendDetails(field.name, field.says.splice(0)));
  }
}
