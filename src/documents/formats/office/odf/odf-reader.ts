import type { Omissions } from "../../../notes.ts";
import { foldSpace } from "../../../writing/fold-space.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { ownEntryOf } from "../../archive/own-entry.ts";
import type { XmlAttributes, XmlHandler } from "../../xml/xml-stream.ts";
import { countOf, MAX_REPEAT } from "../nested-tables.ts";
import { formulaTarget } from "../sheets/cell-ranges.ts";
import type { ListMark } from "../text-writer.ts";
import { OdfNumbering } from "./odf-numbering.ts";
import type { OdfObject } from "./odf-objects.ts";
import { OdfParagraphs, type OdfParagraph } from "./odf-paragraphs.ts";
import { OdfStyles } from "./odf-styles.ts";
import { OdfWriter, type OdfKind } from "./odf-writer.ts";

const LEFT_OUT = new Set(
  "tracked-changes annotation annotation-end sequence-decls forms settings table-of-content-source title desc ruby-text date-time-decl page-number page-count header-decl footer-decl note-citation binary-data object help-message error-message table-template".split(
    " ",
  ),
);
/** Attributes of a cell's value (OASIS ODF 1.3 part 3, §19.385 to §19.393). */
const VALUES = ["value", "string-value", "date-value", "boolean-value", "time-value"];
const HIDEABLE = new Set(["section", "hidden-text"]);

/** Reads the content of an OpenDocument file (ISO 26300, OASIS ODF 1.3 part 3). */
export class OdfReader implements XmlHandler {
  #inBody = false;
  #noteDepth = 0;
  #inSpeakerNotes = 0;
  /** The value of a sheet's open cell that has no text yet: some writers leave the text out. */
  #value = "";
  /** Where the formula of the open cell leads. */
  #target = "";
  /** Paragraphs of a slide's title; null outside a title. */
  #title: string[] | null = null;
  readonly #styles = new OdfStyles();
  readonly #numbering = new OdfNumbering();
  readonly #paragraphs: OdfParagraphs;
  readonly #leftOut: Omissions;
  readonly #writer: OdfWriter;
  readonly #kind: OdfKind;
  /** By their name in the package, such as `Object 1`. */
  readonly #objects: Map<string, OdfObject>;
  readonly #out: MarkdownBuilder;

  constructor(kind: OdfKind, out: MarkdownBuilder, objects = new Map<string, OdfObject>()) {
    this.#kind = kind;
    this.#out = out;
    this.#writer = new OdfWriter(kind, out);
    this.#objects = objects;
    this.#leftOut = out.leftOut;
    this.#paragraphs = new OdfParagraphs(this.#styles, out.leftOut);
  }

  /** A repeated row of repeated cells is a table. */
  get written(): number {
    return this.#out.length;
  }

  readonly #onOpen: Record<string, (attributes: XmlAttributes) => void> = {
    body: () => {
      this.#inBody = true;
      this.#writer.nextPage();
    },
    p: (attributes) => this.#paragraphs.open(attributes, 0),
    h: (attributes) => this.#paragraphs.open(attributes, Number(attributes["outline-level"] ?? 1)),
    span: (attributes) => this.#paragraphs.openSpan(attributes),
    a: ({ href = "" }) => this.#paragraphs.innermost?.text.openLink(href),
    "hidden-paragraph": ({ "is-hidden": isHidden }) => {
      if (isHidden === "true") this.#paragraphs.hide();
    },
    s: ({ c = "1" }) => this.#write(" ".repeat(Math.min(Number(c) || 1, MAX_REPEAT))),
    tab: () => this.#write("\t"),
    "line-break": () => this.#write("\n"),
    "soft-page-break": () => this.#writer.nextPage(),
    list: (attributes) => this.#numbering.openList(attributes),
    "list-item": (attributes) => this.#numbering.openItem(attributes),
    note: () => this.#write(this.#writer.openNote()),
    "note-body": () => this.#noteDepth++,
    page: () => {
      if (this.#kind === "presentation") this.#writer.openSlide(false);
    },
    notes: () => this.#inSpeakerNotes++,
    frame: (attributes) => {
      if (attributes["presentation:class"] === "title") this.#title = [];
    },
    table: (attributes) => this.#openTable(attributes),
    "table-header-rows": () => this.#writer.markHeader(),
    "table-row": ({ "number-rows-repeated": repeat = "1" }) =>
      this.#writer.tables.openRow(countOf(repeat)),
    "table-cell": (attributes) => this.#openCell(attributes),
    "covered-table-cell": (attributes) => this.#openCell(attributes, true),
  };

  open(name: string, attributes: XmlAttributes): "skip" | undefined {
    const href = (attributes["href"] ?? "").replace(/^\.\//, "");
    if (name === "object") this.#placeObject(href);
    if (name === "object-ole") this.#leftOut.addFile(href);
    if (this.#isHidden(name, attributes) || LEFT_OUT.has(name)) return "skip";
    if (this.#inBody) ownEntryOf(this.#onOpen, name)?.(attributes);
    else if (name === "body") this.#onOpen["body"]?.(attributes);
    else {
      ownEntryOf(this.#styles.onOpen, name)?.(attributes);
      ownEntryOf(this.#numbering.onOpen, name)?.(attributes);
    }
    return undefined;
  }

  text(data: string): void {
    // White space collapses; significant white space is written as elements.
    if (this.#inBody) this.#write(data.replace(/\s+/g, " "));
  }

  close(name: string): void {
    if (this.#inBody) ownEntryOf(this.#onClose, name)?.();
    else if (name === "style") this.#styles.endStyle();
  }

  finish(): void {
    this.#writer.finish();
  }

  readonly #onClose: Record<string, () => void> = {
    p: () => this.#closeParagraph(),
    h: () => this.#closeParagraph(),
    span: () => this.#paragraphs.innermost?.spans.pop(),
    a: () => this.#paragraphs.innermost?.text.closeLink(),
    list: () => this.#numbering.closeList(),
    "list-item": () => this.#numbering.closeItem(),
    "note-body": () => this.#noteDepth--,
    page: () => this.#writer.closeSlide(),
    notes: () => this.#inSpeakerNotes--,
    frame: () => this.#closeTitle(),
    "table-cell": () => this.#closeCell(),
    "covered-table-cell": () => this.#closeCell(),
    "table-row": () => this.#writer.closeRow(),
    table: () => this.#writer.closeTable(),
  };

  #isHidden(name: string, attributes: XmlAttributes): boolean {
    if (!this.#inBody) return false;
    if (HIDEABLE.has(name)) {
      const { display, "is-hidden": isHidden } = attributes;
      // The value of a condition when LibreOffice wrote the file.
      if (display !== "none" && isHidden !== "true") return false;
      if (name === "section") this.#leftOut.add("hidden section");
      return true;
    }
    if (name !== "page" || this.#kind !== "presentation") return false;
    if (this.#styles.styleOf("drawing-page", attributes["style-name"]).isHidden !== true)
      return false;
    this.#writer.openSlide(true);
    this.#leftOut.add("hidden slide");
    return true;
  }

  #write(text: string): void {
    this.#paragraphs.write(text);
  }

  #closeParagraph(): void {
    const paragraph = this.#paragraphs.close();
    this.#value = "";
    if (paragraph === undefined) return;
    const { style, level } = paragraph;
    paragraph.text.linkFrom(0, this.#target);
    const text = paragraph.text.take();
    const format = { style, level, mark: () => this.#markOf(paragraph) };
    if (this.#noteDepth > 0) this.#writer.addToNote(` ${text}`);
    else if (this.#writer.tables.cell !== undefined) this.#writer.paragraph(text, format);
    else if (this.#title !== null) this.#title.push(text);
    else if (foldSpace(text) === "" && !style.isCode) {
      this.#numbering.skip();
      this.#writer.endBlock();
    } else if (this.#inSpeakerNotes > 0 && !style.isCode) {
      this.#writer.slide?.note(text);
      this.#writer.endBlock();
    } else this.#writer.paragraph(text, format);
  }

  #markOf({ level, attributes }: OdfParagraph): ListMark {
    const item = this.#numbering.take();
    const own = level > 0 ? this.#numbering.headingLabel(level, attributes) : "";
    return { label: item?.label || own || (item?.label ?? null), depth: item?.depth ?? 0 };
  }

  #closeTitle(): void {
    const text = foldSpace(this.#title?.join(" ") ?? "");
    this.#title = null;
    if (text !== "") this.#writer.slide?.title(text);
  }

  #placeObject(href: string): void {
    const object = this.#objects.get(href);
    if (object === undefined) return;
    if (object.formula !== "") this.#write(object.formula);
    if (object.texts.length > 0 || object.rows.length > 0) this.#writer.draw(object);
  }

  #openCell(attributes: XmlAttributes, isContinued = false): void {
    const { "number-columns-repeated": repeat = "1", "number-rows-spanned": rows = "1" } =
      attributes;
    this.#writer.tables.openCell(countOf(repeat));
    this.#writer.tables.changeCell({ rowsBelow: countOf(rows) - 1, isContinued });
    this.#target = formulaTarget(attributes["formula"]);
    if (this.#kind === "spreadsheet")
      this.#value = VALUES.map((name) => attributes[name]).find(Boolean) ?? "";
  }

  #closeCell(): void {
    this.#target = "";
    if (this.#value !== "") this.#writer.tables.cell?.paragraph(this.#value);
    this.#writer.closeCell(MAX_REPEAT);
  }

  #openTable(attributes: XmlAttributes): void {
    const isSheet = this.#kind === "spreadsheet" && this.#writer.tables.cell === undefined;
    const isHidden =
      isSheet && this.#styles.styleOf("table", attributes["style-name"]).isHidden === true;
    this.#writer.openTable();
    if (!isSheet) return;
    if (isHidden) this.#leftOut.add("hidden sheet");
    this.#writer.openSheet(attributes["table:name"] ?? attributes["name"], isHidden);
  }
}
