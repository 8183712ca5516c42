import type { MarkdownBuilder } from "../markdown-builder.ts";
import { longer } from "../bounded-text.ts";
import { foldSpace } from "../fold-space.ts";
import { LongTable } from "../long-table.ts";
import type { XmlAttributes, XmlHandler } from "../xml/xml-stream.ts";
import { OdfParagraphs } from "./odf-paragraphs.ts";
import type { OdfParagraph } from "./odf-paragraphs.ts";
import { OdfStyles } from "./odf-styles.ts";
import { SheetWriter } from "./sheet-writer.ts";

/** `spreadsheet`: tables are sheets. `presentation`: pages are slides. */
export type OdfKind = "text" | "spreadsheet" | "presentation";

type OpenTable = {
  rows: string[][];
  long: LongTable;
  row: string[];
  cell: string;
  columns: number;
  repeat: number;
};

/** A repeated cell or row is written so many times at most: the rest of a sheet is one repetition. */
const MAX_REPEAT = 200;
/** As many as a sheet can have. */
const MAX_COLUMNS = 16_384;
const LEFT_OUT = new Set(
  "tracked-changes annotation annotation-end sequence-decls forms settings table-of-content-source title desc ruby-text date-time-decl page-number page-count footer-decl".split(
    " ",
  ),
);
/** Elements that say themselves that they are not shown. */
const HIDEABLE = new Set(["section", "hidden-text"]);

/** Reads the content of an OpenDocument file (ISO 26300, OASIS ODF 1.3 part 3). */
export class OdfReader implements XmlHandler {
  hiddenSheets = 0;
  hiddenSlides = 0;
  hiddenSections = 0;
  /** Elements that are open inside a hidden one, itself included. */
  #hiddenDepth = 0;
  #inBody = false;
  #leftOut = 0;
  #slide = 0;
  #pageTitle: string | null = null;
  #sheet: SheetWriter | null = null;
  #item: { marker: string; depth: number } | null = null;
  #notes: string[] = [];
  #noteDepth = 0;
  #inSpeakerNotes = 0;
  #code: string[] = [];
  readonly #styles = new OdfStyles();
  readonly #lists: { style: string; isOrdered: boolean; next: number }[] = [];
  readonly #paragraphs = new OdfParagraphs(this.#styles);
  readonly #tables: OpenTable[] = [];
  readonly #out: MarkdownBuilder;
  readonly #kind: OdfKind;

  constructor(kind: OdfKind, out: MarkdownBuilder) {
    this.#kind = kind;
    this.#out = out;
  }

  /** Stretches of hidden text inside paragraphs. */
  get hiddenTexts(): number {
    return this.#paragraphs.hiddenTexts;
  }

  readonly #onOpen: Record<string, (attributes: XmlAttributes) => void> = {
    body: () => {
      this.#inBody = true;
      if (this.#kind === "text") this.#out.page(++this.#slide);
    },
    p: (attributes) => this.#openParagraph(attributes, 0),
    h: (attributes) => this.#openParagraph(attributes, Number(attributes["outline-level"] ?? 1)),
    span: (attributes) => this.#paragraphs.openSpan(attributes),
    "hidden-paragraph": ({ "is-hidden": isHidden }) => {
      if (isHidden === "true") this.#paragraphs.hide();
    },
    s: ({ c = "1" }) => this.#write(" ".repeat(Math.min(Number(c) || 1, MAX_REPEAT))),
    tab: () => this.#write("\t"),
    "line-break": () => this.#write("\n"),
    "soft-page-break": () => this.#nextPage(),
    list: (attributes) => {
      const style = attributes["style-name"] ?? this.#lists.at(-1)?.style ?? "";
      const isOrdered = this.#styles.isOrdered(style, this.#lists.length + 1);
      this.#lists.push({ style, isOrdered, next: 1 });
    },
    "list-item": () => {
      const list = this.#lists.at(-1);
      const marker = list?.isOrdered === true ? `${list.next++}.` : "-";
      this.#item = { marker, depth: this.#lists.length - 1 };
    },
    "note-citation": () => {
      this.#write("[^");
    },
    "note-body": () => {
      this.#noteDepth++;
      this.#notes.push("");
    },
    page: (attributes) => this.#openSlide(attributes),
    notes: () => {
      this.#inSpeakerNotes++;
    },
    table: (attributes) => this.#openTable(attributes),
    "table-row": ({ "number-rows-repeated": repeat = "1" }) => {
      const table = this.#tables.at(-1);
      if (table !== undefined) Object.assign(table, { row: [], repeat: Number(repeat) });
    },
    "table-cell": (attributes) => this.#openCell(attributes),
    "covered-table-cell": (attributes) => this.#openCell(attributes),
  };

  open(name: string, attributes: XmlAttributes): void {
    if (this.#hiddenDepth > 0 || this.#hides(name, attributes)) {
      this.#hiddenDepth++;
      return;
    }
    if (LEFT_OUT.has(name)) this.#leftOut++;
    if (this.#leftOut > 0) return;
    if (!this.#inBody) this.#styles.onOpen[name]?.(attributes);
    this.#onOpen[name]?.(attributes);
  }

  text(data: string): void {
    // White space folds; what counts is written as elements.
    if (this.#hiddenDepth === 0 && this.#leftOut === 0 && this.#inBody)
      this.#write(data.replace(/\s+/g, " "));
  }

  close(name: string): void {
    if (this.#hiddenDepth > 0) {
      this.#hiddenDepth--;
      return;
    }
    if (LEFT_OUT.has(name)) this.#leftOut--;
    if (this.#leftOut > 0) return;
    this.#onClose[name]?.();
  }

  finish(): void {
    this.#writeCode();
    for (const [index, note] of this.#notes.entries())
      if (note !== "") this.#out.paragraph(`[^${index + 1}]: ${note}`);
  }

  readonly #onClose: Record<string, () => void> = {
    style: () => this.#styles.endStyle(),
    p: () => this.#closeParagraph(),
    h: () => this.#closeParagraph(),
    span: () => this.#paragraphs.closeSpan(),
    list: () => {
      this.#lists.pop();
    },
    "list-item": () => {
      this.#item = null;
    },
    "note-citation": () => this.#write("]"),
    "note-body": () => {
      this.#noteDepth--;
    },
    notes: () => {
      this.#inSpeakerNotes--;
    },
    "table-cell": () => this.#closeCell(),
    "covered-table-cell": () => this.#closeCell(),
    "table-row": () => this.#closeRow(),
    table: () => this.#closeTable(),
  };

  /** Whether an element is not shown, with all that it holds; counts it. */
  #hides(name: string, attributes: XmlAttributes): boolean {
    if (this.#leftOut > 0 || !this.#inBody) return false;
    if (HIDEABLE.has(name)) {
      const { display, "is-hidden": isHidden } = attributes;
      // A condition that LibreOffice evaluated when it wrote the file.
      if (display !== "none" && isHidden !== "true") return false;
      if (name === "section") this.hiddenSections++;
      return true;
    }
    if (name !== "page" || this.#kind !== "presentation") return false;
    if (!this.#styles.isHiddenSlide(attributes["style-name"] ?? "")) return false;
    this.#slide++;
    this.hiddenSlides++;
    return true;
  }

  #write(text: string): void {
    this.#paragraphs.write(text);
  }

  #nextPage(): void {
    if (this.#kind !== "text") return;
    this.#out.page(++this.#slide);
  }

  #openParagraph(attributes: XmlAttributes, level: number): void {
    if (this.#inBody) this.#paragraphs.open(attributes, level);
  }

  #closeParagraph(): void {
    const paragraph = this.#paragraphs.close();
    if (paragraph === undefined) return;
    const table = this.#tables.at(-1);
    const last = this.#notes.length - 1;
    if (this.#noteDepth > 0)
      this.#notes[last] = `${this.#notes[last] ?? ""} ${paragraph.text}`.trim();
    else if (table !== undefined) table.cell = longer(table.cell, `${paragraph.text}\n`);
    else this.#writeParagraph(paragraph);
  }

  #writeParagraph({ text, level, style }: OdfParagraph): void {
    if (this.#styles.isCode(style)) {
      this.#code.push(text);
      return;
    }
    this.#writeCode();
    if (foldSpace(text) === "") return;
    if (this.#kind === "presentation" && this.#pageTitle === null) {
      this.#pageTitle = text;
      this.#out.heading(1, text);
    } else if (this.#inSpeakerNotes > 0) this.#out.quote(text);
    else if (level > 0) this.#out.heading(level, text);
    else if (this.#item !== null) {
      this.#out.listItem(this.#item.depth, this.#item.marker, text);
      this.#item = null;
    } else this.#out.paragraph(text);
  }

  #writeCode(): void {
    if (this.#code.length > 0) this.#out.code(this.#code.splice(0).join("\n"));
  }

  #openSlide(_attributes: XmlAttributes): void {
    if (this.#kind !== "presentation") return;
    this.#slide++;
    this.#out.page(this.#slide);
    this.#pageTitle = null;
  }

  #openTable(attributes: XmlAttributes): void {
    if (!this.#inBody) return;
    const long = new LongTable(this.#out);
    this.#tables.push({ rows: [], long, row: [], cell: "", columns: 1, repeat: 1 });
    if (this.#kind !== "spreadsheet" || this.#tables.length > 1) return;
    this.#slide++;
    if (this.#styles.isHiddenSheet(attributes["style-name"] ?? "")) {
      this.hiddenSheets++;
      return;
    }
    this.#out.page(this.#slide);
    this.#out.heading(1, attributes["table:name"] ?? attributes["name"] ?? `Sheet ${this.#slide}`);
    this.#sheet = new SheetWriter(this.#out);
  }

  #openCell({ "number-columns-repeated": repeat = "1" }: XmlAttributes): void {
    const table = this.#tables.at(-1);
    if (table !== undefined) Object.assign(table, { cell: "", columns: Number(repeat) || 1 });
  }

  #closeCell(): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const room = Math.max(0, MAX_COLUMNS - table.row.length);
    const count = Math.min(table.columns, MAX_REPEAT, room);
    for (let at = 0; at < count; at++) table.row.push(table.cell);
  }

  #closeRow(): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const isEmpty = table.row.every((cell) => cell.trim() === "");
    const count = isEmpty ? 1 : Math.min(table.repeat, MAX_REPEAT);
    for (let at = 0; at < count; at++) {
      if (this.#tables.length > 1) table.rows.push(table.row);
      else if (this.#kind === "spreadsheet") this.#sheet?.addRow(table.row);
      else table.long.add([table.row]);
    }
  }

  #closeTable(): void {
    const table = this.#tables.pop();
    const outer = this.#tables.at(-1);
    if (table === undefined) return;
    this.#writeCode();
    if (outer !== undefined) outer.cell += `${table.rows.flat().join("\n")}\n`;
    else if (this.#kind !== "spreadsheet") table.long.end();
    this.#sheet?.endTable();
    this.#sheet = null;
  }
}
