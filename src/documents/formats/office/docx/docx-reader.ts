import type { Omissions } from "../../../notes.ts";
import { foldSpace } from "../../../writing/fold-space.ts";
import type { LinkedText } from "../../../writing/link-text.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { heightOf } from "../../../writing/raised-text.ts";
import { ownEntryOf } from "../../archive/own-entry.ts";
import type { XmlAttributes, XmlHandler } from "../../xml/xml-stream.ts";
import type { Drawing } from "../drawings.ts";
import { OpenFormula } from "../formula.ts";
import { countOf, MAX_REPEAT } from "../nested-tables.ts";
import type { NoteMarks } from "../note-marks.ts";
import { symbolCharacter } from "../symbol-fonts.ts";
import { headingLevelOf, type TextStyle, type TextStyles } from "../text-styles.ts";
import { TextWriter, type ListMark } from "../text-writer.ts";
import { DocxFields, linkTargetOf } from "./docx-fields.ts";
import type { Numbering } from "./docx-numbering.ts";
import { blankParagraph, PLAIN_RUN, type Paragraph, type Run } from "./docx-paragraph.ts";
import { isOn } from "./docx-styles.ts";

export type DocxParts = {
  styles: TextStyles;
  numbering: Numbering;
  links: Map<string, string>;
  drawings: Map<string, Drawing>;
  noteMarks: NoteMarks;
  added: ReadonlyMap<string, string>;
};

/** No text of the document's current state; `rt` gives a pronunciation. */
const LEFT_OUT = new Set(
  "delText delInstrText del moveFrom Fallback rPrChange pPrChange sectPrChange rt".split(" "),
);

/** `w:numId` 0 takes a paragraph out of its style's list. */
const NO_LIST = "0";

/** Reads a part of WordprocessingML (ECMA-376 part 1, §17) into Markdown. */
export class DocxReader implements XmlHandler {
  readonly #runs: Run[] = [];
  #collects: "text" | "code" | null = null;
  readonly #formula = new OpenFormula();
  /** No text since the page began: then Word's rendered page break marks the same page. */
  #isPageFresh = false;
  readonly #paragraphs: Paragraph[] = [];
  readonly #fields = new DocxFields();
  readonly #parts: DocxParts;
  readonly #writer: TextWriter;
  /** `endnote` or `footnote`, and the marks of its notes; null for the main text. */
  readonly #noteElement: string | null;
  #noteHidden = false;
  /** The mark of the note that the next text begins. */
  #noteMark = "";
  /** A large first letter, which is a paragraph of its own, before the paragraph that it begins. */
  #dropCap: LinkedText | undefined;
  readonly #leftOut: Omissions;

  constructor(parts: DocxParts, out: MarkdownBuilder, noteElement: string | null = null) {
    this.#parts = parts;
    this.#writer = new TextWriter(out);
    this.#noteElement = noteElement;
    this.#leftOut = out.leftOut;
  }

  readonly #onOpen: Record<string, (attributes: XmlAttributes) => void> = {
    p: () => {
      this.#paragraphs.push(blankParagraph(this.#dropCap));
      this.#dropCap = undefined;
    },
    pStyle: ({ val = "" }) => this.#setParagraph({ style: this.#parts.styles.styleOf(val) }),
    outlineLvl: ({ val = "" }) => this.#setParagraph({ headingLevel: headingLevelOf(Number(val)) }),
    numId: ({ val = "" }) => this.#setParagraph({ numId: val }),
    ilvl: ({ val = "" }) => this.#setParagraph({ listLevel: Number(val) }),
    framePr: ({ dropCap = "none" }) => this.#setParagraph({ isDropCap: dropCap !== "none" }),
    pageBreakBefore: ({ val }) => {
      if (isOn(val)) this.#nextPage();
    },
    r: () => this.#runs.push({ ...PLAIN_RUN }),
    rStyle: ({ val = "" }) => this.#changeRun({ style: this.#parts.styles.styleOf(val).isHidden }),
    vertAlign: ({ val }) => this.#changeRun({ height: heightOf(val) }),
    vanish: ({ val }) => this.#changeRun({ own: isOn(val) }),
    t: () => this.#collect("text"),
    tab: () => {
      if (this.#runs.length > 0) this.#write(" ");
    },
    ptab: () => this.#write(" "),
    br: ({ type }) => {
      this.#write("\n");
      if (type === "page") this.#nextPage();
    },
    cr: () => this.#write("\n"),
    lastRenderedPageBreak: () => {
      if (!this.#isPageFresh) this.#nextPage();
    },
    noBreakHyphen: () => this.#write("-"),
    sym: ({ font = "", char = "" }) =>
      this.#write(symbolCharacter(font, Number.parseInt(char, 16)) ?? " "),
    hyperlink: (attributes) =>
      this.#openLink(this.#parts.links.get(attributes["r:id"] ?? "") ?? ""),
    fldSimple: ({ instr = "" }) => this.#openLink(linkTargetOf(instr)),
    fldChar: ({ fldCharType = "" }) => this.#onFieldMark(fldCharType),
    instrText: () => this.#collect("code"),
    checkBox: () => this.#fields.check(false),
    default: ({ val }) => {
      this.#fields.check(isOn(val));
      this.#fields.choose(Number(val));
    },
    checked: ({ val }) => this.#fields.check(isOn(val)),
    result: ({ val }) => this.#fields.choose(Number(val)),
    listEntry: ({ val = "" }) => this.#fields.addEntry(val),
    textpath: ({ string = "" }) => this.#write(string),
    blip: (attributes) => this.#draw(attributes["r:embed"]),
    chart: (attributes) => this.#draw(attributes["r:id"]),
    relIds: (attributes) => this.#draw(attributes["r:dm"]),
    altChunk: ({ "r:id": id = "" }) => this.#writer.addPart(this.#parts.added.get(id)),
    footnoteReference: ({ id = "" }) => this.#writeNoteMark("footnote", id),
    endnoteReference: ({ id = "" }) => this.#writeNoteMark("endnote", id),
    tbl: () => this.#writer.openTable(),
    tr: () => this.#writer.tables.openRow(),
    tblHeader: ({ val }) => {
      if (isOn(val)) this.#writer.markHeader();
    },
    gridBefore: ({ val = "0" }) => this.#writer.tables.skipColumns(Number(val)),
    tc: () => this.#writer.tables.openCell(),
    gridSpan: ({ val = "1" }) =>
      this.#writer.tables.changeCell({ columns: Math.min(countOf(val), MAX_REPEAT) }),
    vMerge: ({ val }) => this.#writer.tables.changeCell({ isContinued: val !== "restart" }),
  };

  open(name: string, attributes: XmlAttributes): "skip" | undefined {
    if (LEFT_OUT.has(name)) return "skip";
    if (name === this.#noteElement) this.#openNote(attributes);
    if (!this.#formula.open(name, attributes)) ownEntryOf(this.#onOpen, name)?.(attributes);
    return undefined;
  }

  text(data: string): void {
    if (this.#formula.take(data)) return;
    if (this.#collects === "text") this.#write(data);
    else if (this.#collects === "code") this.#fields.addCode(data);
  }

  close(name: string): void {
    const formula = this.#formula.close();
    if (formula === null) ownEntryOf(this.#onClose, name)?.();
    else this.#write(formula);
  }

  readonly #onClose: Record<string, () => void> = {
    p: () => {
      const paragraph = this.#paragraphs.pop();
      if (paragraph?.isDropCap === true) this.#dropCap = paragraph.text;
      else if (paragraph !== undefined) this.#closeParagraph(paragraph);
    },
    t: () => this.#collect(null),
    instrText: () => this.#collect(null),
    r: () => this.#runs.pop(),
    hyperlink: () => this.#paragraphs.at(-1)?.text.closeLink(),
    fldSimple: () => this.#paragraphs.at(-1)?.text.closeLink(),
    tc: () => this.#writer.closeCell(),
    tr: () => this.#writer.closeRow(),
    tbl: () => this.#writer.closeTable(),
  };

  finish(): void {
    if (this.#dropCap !== undefined) this.#closeParagraph(blankParagraph(this.#dropCap));
    this.#writer.finish();
  }

  #collect(what: "text" | "code" | null): void {
    this.#collects = what;
  }

  #write(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph === undefined || this.#fields.hidesText) return;
    const isSeen = /\S/.test(text);
    if (!this.#isHidden(paragraph)) {
      paragraph.text.add(text, this.#runs.at(-1)?.height);
      if (isSeen) {
        paragraph.hasText = true;
        this.#isPageFresh = false;
      }
    } else if (!isSeen) return;
    else this.#countHidden(paragraph);
  }

  /** A run once, however many texts it holds. */
  #countHidden(paragraph: Paragraph): void {
    const run = this.#runs.at(-1);
    if (run === undefined || (run.own ?? run.style) === null) paragraph.hasHiddenText = true;
    else if (!run.isCounted) {
      run.isCounted = true;
      this.#leftOut.add("hidden text run");
    }
  }

  #changeRun(change: Partial<Run>): void {
    Object.assign(this.#runs.at(-1) ?? {}, change);
  }

  #isHidden(paragraph: Paragraph | undefined): boolean {
    const run = this.#runs.at(-1);
    const isRunHidden = run?.own ?? run?.style ?? null;
    return isRunHidden ?? paragraph?.style.isHidden === true;
  }

  #writeNoteMark(kind: string, id: string): void {
    const { noteMarks } = this.#parts;
    if (this.#isHidden(this.#paragraphs.at(-1))) noteMarks.hide(kind, id);
    else this.#write(noteMarks.mark(kind, id));
  }

  #setParagraph(change: Partial<Paragraph>): void {
    Object.assign(this.#paragraphs.at(-1) ?? {}, change);
  }

  #draw(relationship: string | undefined): void {
    const drawing = this.#parts.drawings.get(relationship ?? "");
    if (drawing === undefined || this.#isHidden(this.#paragraphs.at(-1))) return;
    this.#writer.draw(drawing);
  }

  /** Opens a note; separators between text and notes are notes, too, with a type of their own. */
  #openNote({ id = "", type }: XmlAttributes): void {
    if (type !== undefined && type !== "normal") return;
    const { noteMarks } = this.#parts;
    const kind = this.#noteElement ?? "";
    this.#noteHidden = noteMarks.isHidden(kind, id);
    this.#noteMark = this.#noteHidden ? "" : `${noteMarks.mark(kind, id)}: `;
  }

  #nextPage(): void {
    if (this.#noteElement !== null) return;
    this.#writer.nextPage(this.#paragraphs.some(({ hasText }) => hasText));
    this.#isPageFresh = true;
  }

  #onFieldMark(type: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (type === "begin") this.#fields.begin();
    else if (type === "separate") this.#fields.show(paragraph, paragraph?.text.length ?? 0);
    else if (type === "end") {
      const end = this.#fields.end(paragraph);
      if (end === null) return;
      if ("mark" in end) this.#write(end.mark);
      else paragraph?.text.linkFrom(end.start, end.target);
    }
  }

  #openLink(target: string): void {
    this.#paragraphs.at(-1)?.text.openLink(target);
  }

  #closeParagraph(paragraph: Paragraph): void {
    const { style } = paragraph;
    const text = paragraph.text.take();
    this.#fields.endParagraph();
    const isEmpty = foldSpace(text) === "";
    if (this.#noteHidden || (isEmpty && paragraph.style.isHidden === true)) {
      if (!isEmpty || paragraph.hasHiddenText) this.#leftOut.add("hidden paragraph");
      return;
    }
    if (paragraph.hasHiddenText) this.#leftOut.add("hidden text run");
    // Text boxes stand inside the paragraph that anchors them.
    this.#writer.paragraph(isEmpty ? text : this.#prependNoteMark(text, style), {
      style,
      level: paragraph.headingLevel ?? style.headingLevel ?? 0,
      mark: () => this.#markOf(paragraph),
    });
  }

  /** The first text of a note begins with its mark. */
  #prependNoteMark(text: string, style: TextStyle): string {
    const mark = this.#noteMark;
    if (mark === "" || style.isCode || this.#writer.tables.cell !== undefined) return text;
    this.#noteMark = "";
    return mark + foldSpace(text);
  }

  /** Empty paragraphs count as items, too. */
  #markOf({ style, ...own }: Paragraph): ListMark {
    const list = own.numId ?? style.numId ?? NO_LIST;
    const depth = own.listLevel ?? style.listLevel ?? 0;
    return { label: list === NO_LIST ? null : this.#parts.numbering.next(list, depth), depth };
  }
}
