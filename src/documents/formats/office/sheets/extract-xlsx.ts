import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { UnreadableDocument, type Extraction } from "../../../extracted-document.ts";
import { appendText, checkRowSize } from "../../../writing/bounded-text.ts";
import { LinkedText } from "../../../writing/link-text.ts";
import { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { heightOf } from "../../../writing/raised-text.ts";
import { ZipArchive } from "../../archive/zip-archive.ts";
import { readXml, type XmlAttributes, type XmlHandler } from "../../xml/xml-stream.ts";
import { drawingsOf } from "../drawings.ts";
import { linksOf, openPackage, relationshipsOf, type Relationship } from "../relationships.ts";
import { skipRows, CellRanges, cellsIn, columnOf, formulaTarget } from "./cell-ranges.ts";
import { isoMoment, plainNumber, readCellFormats, type CellFormat } from "./number-formats.ts";
import { SharedStrings } from "./shared-strings.ts";
import { SheetRows } from "./sheet-rows.ts";
import { SheetWriter } from "./sheet-writer.ts";

const MAX_ROWS = 1 << 20;
/** Weight of a row without text: formats that are set down to the last row leave a million. */
const EMPTY_ROW = 1 / 4;

type Sheet = { name: string; relationship: string; isHidden: boolean };
type Workbook = { sheets: Sheet[]; is1904: boolean };

/** ECMA-376: each sheet becomes a heading and tables, with values as Excel shows them. */
export function* readBytes(bytes: Uint8Array): CooperativeWork<Extraction> {
  const book = yield* openPackage(bytes, "xl/workbook.xml");
  const { archive, main, targets, partOf, properties } = book;
  // Its parts are counted apart: each sheet is read twice.
  const behind = new ZipArchive(bytes);
  const workbook = yield* readWorkbook(archive, main);
  const shared = yield* readSharedStrings(archive, partOf("sharedStrings"));
  const formats = yield* readCellFormats(archive, partOf("styles"), workbook.is1904);
  const out = new MarkdownBuilder();
  let rows = 0;
  const countRow = (isEmpty: boolean) => {
    rows += isEmpty ? EMPTY_ROW : 1;
    if (rows > MAX_ROWS) throw new UnreadableDocument(`workbook has more than ${MAX_ROWS} rows`);
  };
  for (const [index, sheet] of workbook.sheets.entries()) {
    const part = targets.get(sheet.relationship);
    if (sheet.isHidden) out.leftOut.add("hidden sheet");
    if (part === undefined || sheet.isHidden) continue;
    const writer = new SheetWriter(out, { page: index + 1, name: sheet.name });
    const related = yield* relationshipsOf(archive, part, out.leftOut);
    const ranges = new CellRanges(linksOf(related));
    yield* readXml(skipRows(behind.chunks(part)), ranges);
    const sheetRows = new SheetRows(writer, ranges);
    const reader = new SheetReader({ shared, formats, rows: sheetRows, countRow });
    yield* readXml(archive.chunks(part), reader);
    writer.endTable();
    yield* writeDrawings(archive, related, writer, out);
    out.leftOut.add("formula cell", reader.unsavedFormulas);
  }
  shared.release();
  return out.extraction(properties);
}

function* writeDrawings(
  archive: ZipArchive,
  related: Relationship[],
  writer: SheetWriter,
  out: MarkdownBuilder,
): CooperativeWork<void> {
  for (const drawing of related.filter(({ type }) => type === "drawing")) {
    for (const parts of [[drawing], yield* relationshipsOf(archive, drawing.target)]) {
      // A chart's data is already in cells.
      for (const { texts } of (yield* drawingsOf(archive, parts)).values()) {
        if (texts.length > 0) writer.begin();
        for (const text of texts) out.paragraph(text);
      }
    }
  }
}

function* readWorkbook(archive: ZipArchive, part: string): CooperativeWork<Workbook> {
  const workbook: Workbook = { sheets: [], is1904: false };
  yield* readXml(archive.chunks(part), {
    open: (name, attributes) => {
      if (name === "workbookPr") workbook.is1904 = isTrue(attributes["date1904"]);
      if (name !== "sheet") return;
      workbook.sheets.push({
        name: attributes["name"] ?? "",
        relationship: attributes["r:id"] ?? attributes["id"] ?? "",
        isHidden: /hidden/i.test(attributes["state"] ?? ""),
      });
    },
  });
  return workbook;
}

const PHONETIC = "rPh";

/** The texts that cells refer to by index; phonetic readings are left out. */
function* readSharedStrings(
  archive: ZipArchive,
  part: string | null,
): CooperativeWork<SharedStrings> {
  const strings = new SharedStrings();
  const current = new LinkedText();
  let height = 0;
  let collects = false;
  yield* readXml(archive.chunks(part ?? ""), {
    open: (name, { val }) => {
      if (name === PHONETIC) return "skip";
      if (name === "r") height = 0;
      else if (name === "vertAlign") height = heightOf(val);
      collects = name === "t";
      return undefined;
    },
    text: (data) => {
      if (collects) current.add(data, height);
    },
    close: (name) => {
      if (name === "si") strings.add(unescapeText(current.take()));
      collects = false;
    },
  });
  return strings;
}

type SheetParts = {
  shared: SharedStrings;
  formats: CellFormat[];
  rows: SheetRows;
  countRow: (isEmpty: boolean) => void;
};

const isTrue = (value = "") => /^(1|true)$/i.test(value);

/** Characters that XML cannot hold are written as `_x000D_`. */
const unescapeText = (text: string) =>
  text.includes("_x")
    ? text.replace(/_x([\da-f]{4})_/gi, (_whole, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text;

class SheetReader implements XmlHandler {
  unsavedFormulas = 0;
  /** Cells whose values the formula of the open cell gives (ECMA-376 part 1, §18.3.1.40). */
  #formulaCells = 0;
  /** Characters of the row, checked before a shared text is decoded again. */
  #characters = 0;
  #type = "n";
  #style = 0;
  #value = "";
  #linkTarget = "";
  #collects = false;
  readonly #of: SheetParts;

  constructor(parts: SheetParts) {
    this.#of = parts;
  }

  open(name: string, attributes: XmlAttributes): "skip" | undefined {
    if (name === PHONETIC) return "skip";
    if (name === "row") {
      this.#of.rows.open(Number(attributes["r"]) || 0);
      this.#characters = 0;
    }
    if (name === "c") this.#openCell(attributes);
    else if (/^[vtf]$/.test(name)) this.#collects = true;
    if (name === "f")
      this.#formulaCells = attributes["t"] === "array" ? cellsIn(attributes["ref"] ?? "") : 1;
    return undefined;
  }

  text(data: string): void {
    if (this.#collects) this.#value = appendText(this.#value, data);
  }

  close(name: string): void {
    if (/^[vtf]$/.test(name)) this.#collects = false;
    if (name === "f") {
      this.#linkTarget = formulaTarget(this.#value);
      this.#value = "";
    }
    if (name === "c") this.#of.rows.put(this.#formatValue(), this.#linkTarget);
    else if (name === "row") this.#of.countRow(this.#of.rows.close());
  }

  #openCell({ r = "", t = "n", s = "0" }: XmlAttributes): void {
    this.#of.rows.column = columnOf(r) ?? this.#of.rows.column;
    this.#type = t;
    this.#style = Number(s);
    this.#value = "";
    this.#linkTarget = "";
    this.#formulaCells = 0;
  }

  #formatValue(): string {
    const value = this.#value;
    if (value === "" && this.#type !== "n") return "";
    if (this.#type === "s") {
      this.#characters = checkRowSize(this.#characters + this.#of.shared.sizeOf(Number(value)));
      return this.#of.shared.at(Number(value));
    }
    if (this.#type === "b") return isTrue(value.trim()) ? "TRUE" : "FALSE";
    if (this.#type === "d") return isoMoment(value);
    if (this.#type !== "n") return unescapeText(value);
    if (value === "") {
      this.unsavedFormulas += this.#formulaCells;
      return "";
    }
    const number = Number(value);
    // Longer whole numbers are codes: a double would change their digits.
    if (!Number.isFinite(number) || /^-?\d{16,}$/.test(value)) return value;
    return (this.#of.formats[this.#style] ?? plainNumber)(number);
  }
}
