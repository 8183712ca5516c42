import { longer } from "../bounded-text.ts";
import { TableCollector } from "../html/table-collector.ts";
import { foldSpace } from "../fold-space.ts";
import { LongTable } from "../long-table.ts";
import type { MarkdownBuilder } from "../markdown-builder.ts";
import type { XmlAttributes, XmlHandler } from "../xml/xml-stream.ts";
import { headingLevelOf, isOn } from "./docx-styles.ts";
import type { Numbering, ParagraphStyle } from "./docx-styles.ts";
import type { NoteMarks } from "./note-marks.ts";

export type DocxParts = {
  styles: Map<string, ParagraphStyle>;
  numbering: Numbering;
  /** Targets of external hyperlinks by relationship id. */
  links: Map<string, string>;
  noteMarks: NoteMarks;
};

type Paragraph = {
  text: string;
  style: string;
  headingLevel: number | null;
  numId: string | null;
  listLevel: number | null;
};

type OpenTable = {
  table: TableCollector;
  long: LongTable;
  cell: string;
  span: number;
  isContinued: boolean;
};

/** Elements whose content is not part of the text as it reads now. */
const LEFT_OUT = new Set(
  "instrText delText delInstrText del moveFrom Fallback rPrChange pPrChange".split(" "),
);
const CODE_STYLE = /^(source ?code|html preformatted|preformatted text|code|code block)$/i;
const QUOTE_STYLE = /^(intense )?quote|^block ?text|^quotations$/i;
/** `w:numId` 0 takes a paragraph out of its style's list. */
const NO_LIST = "0";
const PLAIN_STYLE: ParagraphStyle = {
  name: "",
  basedOn: null,
  headingLevel: null,
  numId: null,
  listLevel: null,
  isHidden: false,
};
const BLANK: Paragraph = { text: "", style: "", headingLevel: null, numId: null, listLevel: null };
const SYMBOL_PRIVATE_AREA = 0xf000;

/** Reads a part of WordprocessingML (ECMA-376 part 1, §17) into Markdown. */
export class DocxReader implements XmlHandler {
  hiddenRuns = 0;
  hiddenParagraphs = 0;
  #page = 1;
  #leftOut = 0;
  #inRun = 0;
  #runHidden = false;
  #runCounted = false;
  #collects = false;
  #code: string[] = [];
  readonly #paragraphs: Paragraph[] = [];
  readonly #tables: OpenTable[] = [];
  readonly #linkStarts: { at: number; target: string }[] = [];
  readonly #counters = new Map<string, number[]>();
  readonly #parts: DocxParts;
  readonly #out: MarkdownBuilder;
  /** `endnote` or `footnote`, and what its notes are marked with; null for the main text. */
  readonly #noteElement: string | null;
  #note: string | null = null;
  /** The note that is open belongs to hidden text. */
  #noteHidden = false;

  constructor(parts: DocxParts, out: MarkdownBuilder, noteElement: string | null = null) {
    this.#parts = parts;
    this.#out = out;
    this.#noteElement = noteElement;
  }

  readonly #onOpen: Record<string, (attributes: XmlAttributes) => void> = {
    p: () => {
      this.#paragraphs.push({ ...BLANK });
    },
    pStyle: ({ val = "" }) => this.#change({ style: val }),
    outlineLvl: ({ val = "" }) => this.#change({ headingLevel: headingLevelOf(val) }),
    numId: ({ val = "" }) => this.#change({ numId: val }),
    ilvl: ({ val = "" }) => this.#change({ listLevel: Number(val) }),
    r: () => {
      this.#inRun++;
      this.#runHidden = false;
      this.#runCounted = false;
    },
    rStyle: ({ val = "" }) => {
      if (this.#inRun > 0) this.#runHidden = this.#parts.styles.get(val)?.isHidden === true;
    },
    vanish: ({ val }) => {
      if (this.#inRun > 0) this.#runHidden = isOn(val);
    },
    t: () => {
      this.#collects = true;
    },
    tab: () => {
      if (this.#inRun > 0) this.#write(" ");
    },
    br: ({ type }) => {
      if (type === "page") this.#nextPage();
      this.#write("\n");
    },
    cr: () => this.#write("\n"),
    lastRenderedPageBreak: () => this.#nextPage(),
    noBreakHyphen: () => this.#write("-"),
    sym: ({ char = "" }) => this.#write(symbolOf(char)),
    hyperlink: (attributes) => {
      const target = this.#parts.links.get(attributes["r:id"] ?? "") ?? "";
      this.#linkStarts.push({ at: this.#paragraphs.at(-1)?.text.length ?? 0, target });
    },
    footnoteReference: ({ id = "" }) => this.#refer("footnote", id),
    endnoteReference: ({ id = "" }) => this.#refer("endnote", id),
    tbl: () => {
      const cell = { cell: "", span: 1, isContinued: false };
      this.#tables.push({ table: new TableCollector(), long: new LongTable(this.#out), ...cell });
    },
    tr: () => this.#startRow(),
    tc: () => this.#changeTable({ cell: "", span: 1, isContinued: false }),
    gridSpan: ({ val = "1" }) => this.#changeTable({ span: Number(val) }),
    vMerge: ({ val }) => this.#changeTable({ isContinued: val !== "restart" }),
  };

  open(name: string, attributes: XmlAttributes): void {
    if (LEFT_OUT.has(name)) this.#leftOut++;
    if (this.#leftOut > 0) return;
    if (name === this.#noteElement) this.#openNote(attributes);
    this.#onOpen[name]?.(attributes);
  }

  text(data: string): void {
    if (this.#collects && this.#leftOut === 0) this.#write(data);
  }

  close(name: string): void {
    if (LEFT_OUT.has(name)) this.#leftOut--;
    if (this.#leftOut > 0) return;
    if (name === "p") this.#closeParagraph();
    else if (name === "t") this.#collects = false;
    else if (name === "r") this.#inRun--;
    else if (name === "hyperlink") this.#closeLink();
    else if (name === "tc") this.#closeCell();
    else if (name === "tbl") this.#closeTable();
  }

  finish(): void {
    this.#writeCode();
  }

  #write(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph === undefined) return;
    if (!this.#runHidden) paragraph.text = longer(paragraph.text, text);
    else if (!this.#runCounted && foldSpace(text) !== "") {
      this.hiddenRuns++;
      this.#runCounted = true;
    }
  }

  #refer(kind: string, id: string): void {
    const { noteMarks } = this.#parts;
    if (this.#runHidden) noteMarks.hide(kind, id);
    else this.#write(noteMarks.mark(kind, id));
  }

  #change(change: Partial<Paragraph>): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph !== undefined) Object.assign(paragraph, change);
  }

  #changeTable(change: Partial<OpenTable>): void {
    const table = this.#tables.at(-1);
    if (table !== undefined) Object.assign(table, change);
  }

  /** Separators between text and notes are notes too, with a type of their own. */
  #openNote({ id = "", type }: XmlAttributes): void {
    if (type !== undefined && type !== "normal") return;
    const { noteMarks } = this.#parts;
    const kind = this.#noteElement ?? "";
    this.#noteHidden = noteMarks.isHidden(kind, id);
    this.#note = this.#noteHidden ? null : `${noteMarks.mark(kind, id)}: `;
  }

  #nextPage(): void {
    if (this.#noteElement !== null) return;
    this.#page++;
    // Inside a paragraph or table the page begins with the next block.
    this.#out.page(this.#page);
  }

  #closeLink(): void {
    const link = this.#linkStarts.pop();
    const paragraph = this.#paragraphs.at(-1);
    if (link === undefined || paragraph === undefined) return;
    const label = foldSpace(paragraph.text.slice(link.at));
    if (!/^(https?:|mailto:)[^\s()]+$/.test(link.target) || label === "") return;
    if (label === link.target) return;
    paragraph.text = `${paragraph.text.slice(0, link.at)}[${label}](${link.target})`;
  }

  #closeParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (paragraph === undefined) return;
    if (this.#noteHidden || this.#styleOf(paragraph).isHidden) {
      if (foldSpace(paragraph.text) !== "") this.hiddenParagraphs++;
      return;
    }
    const table = this.#tables.at(-1);
    // Text boxes stand inside the paragraph that anchors them.
    if (table !== undefined) table.cell = longer(table.cell, `\n${paragraph.text}`);
    else this.#writeParagraph(paragraph);
  }

  #styleOf({ style }: Paragraph): ParagraphStyle {
    return this.#parts.styles.get(style) ?? PLAIN_STYLE;
  }

  #writeParagraph(paragraph: Paragraph): void {
    const style = this.#styleOf(paragraph);
    if (CODE_STYLE.test(style.name)) {
      this.#code.push(paragraph.text);
      return;
    }
    this.#writeCode();
    if (foldSpace(paragraph.text) === "") return;
    const text = this.#note === null ? paragraph.text : `${this.#note}${foldSpace(paragraph.text)}`;
    this.#note = null;
    this.#writeText(text, paragraph, style);
  }

  #writeText(text: string, paragraph: Paragraph, style: ParagraphStyle): void {
    const level = paragraph.headingLevel ?? style.headingLevel;
    const numId = paragraph.numId ?? style.numId ?? NO_LIST;
    if (level !== null) this.#out.heading(level, text);
    else if (numId !== NO_LIST) {
      this.#writeItem(numId, paragraph.listLevel ?? style.listLevel ?? 0, text);
    } else if (QUOTE_STYLE.test(style.name)) this.#out.quote(text);
    else this.#out.paragraph(text);
  }

  #writeItem(numId: string, level: number, text: string): void {
    const { isOrdered, start } = this.#parts.numbering(numId, level);
    const counters = this.#counters.get(numId) ?? [];
    this.#counters.set(numId, counters);
    counters.length = Math.min(counters.length, level + 1);
    const count = (counters[level] ?? start - 1) + 1;
    counters[level] = count;
    this.#out.listItem(level, isOrdered ? `${count}.` : "-", text);
  }

  #writeCode(): void {
    if (this.#code.length > 0) this.#out.code(this.#code.splice(0).join("\n"));
  }

  #startRow(): void {
    const [open] = this.#tables;
    if (open !== undefined && this.#tables.length === 1) {
      const rows = open.table.takeMany();
      if (rows.length > 0) this.#writeCode();
      open.long.add(rows);
    }
    this.#tables.at(-1)?.table.startRow();
  }

  #closeCell(): void {
    const open = this.#tables.at(-1);
    if (open === undefined) return;
    open.table.addCell(open.isContinued ? "" : open.cell, open.span);
  }

  #closeTable(): void {
    const closed = this.#tables.pop();
    if (closed === undefined) return;
    const outer = this.#tables.at(-1);
    if (outer !== undefined) outer.cell += `\n${closed.table.rows.flat().join("\n")}`;
    else {
      this.#writeCode();
      closed.long.add(closed.table.rows);
      closed.long.end();
    }
  }
}

/** Symbol fonts put their characters into the private area; the plain code says more. */
function symbolOf(hex: string): string {
  const code = Number.parseInt(hex, 16);
  if (!Number.isFinite(code) || code >= SYMBOL_PRIVATE_AREA) return " ";
  return String.fromCodePoint(code);
}
