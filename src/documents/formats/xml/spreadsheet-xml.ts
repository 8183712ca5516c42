import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import type { Extraction } from "../../extracted-document.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { appendText } from "../../writing/bounded-text.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { ownEntryOf } from "../archive/own-entry.ts";
import { CellRanges, formulaTarget } from "../office/sheets/cell-ranges.ts";
import {
  formatOf,
  isoMoment,
  plainNumber,
  type CellFormat,
} from "../office/sheets/number-formats.ts";
import { SheetRows } from "../office/sheets/sheet-rows.ts";
import { SheetWriter } from "../office/sheets/sheet-writer.ts";
import { XmlStream, type XmlAttributes, type XmlHandler } from "./xml-stream.ts";

/** The first element: stylesheets and manuals hold workbooks, too. */
const ROOT =
  /^[^<]*(?:<[?!][^>]*>[^<]*)*<(?:\w+:)?Workbook\s[^>]{0,2000}urn:schemas-microsoft-com:office:spreadsheet/;
const COMMENT = /<!--(?:(?!-->)[^])*-->/g;
/** A sheet says behind its rows that it is hidden. */
const SHEET_OR_HIDDEN = /<(?:\w+:)?(?:Worksheet[\s>]|Visible>\s*(Sheet\w*Hidden))/g;
const [MAX_COLUMNS, MAX_ROWS] = [1 << 14, 1 << 20];

const countIn = (text: string | undefined, most: number) =>
  Math.min(Math.max(Math.trunc(Number(text)) || 0, 0), most);

export const isSpreadsheet = (xml: string) => ROOT.test(xml.slice(0, 10_000).replace(COMMENT, ""));

function hiddenSheets(xml: string): Set<number> {
  const numbers = new Set<number>();
  let sheet = 0;
  for (const [, isHidden] of xml.matchAll(SHEET_OR_HIDDEN)) {
    if (isHidden === undefined) sheet++;
    else numbers.add(sheet);
  }
  return numbers;
}

/** The XML of Excel 2002 and 2003 (https://en.wikipedia.org/wiki/SpreadsheetML), as `.xlsx`. */
export function* readSpreadsheet(xml: string): CooperativeWork<Extraction> {
  const out = new MarkdownBuilder();
  const reader = new SpreadsheetReader(out, hiddenSheets(xml));
  const stream = new XmlStream(reader);
  yield* stream.write(xml);
  return out.extraction({ title: reader.title, notes: stream.end().endsEarly ? [ENDS_EARLY] : [] });
}

/** The named formats that change a number; others, such as `Short Date`, are for typed values. */
const NAMED_FORMATS: Record<string, string> = { Percent: "0.00%", Fixed: "0.00", Standard: "0.00" };
const NAME = /^[A-Z][a-z]+(?:[ /][A-Z][a-z]+)?$/;
const codeOf = (format: string) =>
  ownEntryOf(NAMED_FORMATS, format) ?? (NAME.test(format) ? "General" : format);

/** Excel's own limit is 4,000. */
const MAX_STYLES = 1 << 12;

class SpreadsheetReader implements XmlHandler {
  title: string | null = null;
  readonly #formats = new Map<string, CellFormat>();
  #style = "";
  #sheets = 0;
  #writer: SheetWriter | null = null;
  #rows: SheetRows | null = null;
  #cell: XmlAttributes = {};
  #type: string | null = null;
  #value = "";
  readonly #out: MarkdownBuilder;
  readonly #hidden: Set<number>;

  constructor(out: MarkdownBuilder, hiddenNumbers: Set<number>) {
    this.#out = out;
    this.#hidden = hiddenNumbers;
  }

  readonly #onOpen: Record<string, (attributes: XmlAttributes) => "skip" | undefined | void> = {
    Comment: () => "skip",
    WorksheetOptions: () => "skip",
    Style: ({ ID = "" }) => {
      this.#style = ID;
    },
    NumberFormat: ({ Format = "General" }) => {
      if (this.#formats.size < MAX_STYLES)
        this.#formats.set(this.#style, formatOf(codeOf(Format), false));
    },
    Title: () => {
      this.#type = "Title";
    },
    Worksheet: ({ Name = "" }) => {
      if (this.#hidden.has(++this.#sheets)) {
        this.#out.leftOut.add("hidden sheet");
        return "skip";
      }
      this.#writer = new SheetWriter(this.#out, { page: this.#sheets, name: Name });
      this.#rows = new SheetRows(this.#writer, new CellRanges(new Map()));
      return undefined;
    },
    Row: ({ Index }) => this.#rows?.open(countIn(Index, MAX_ROWS)),
    Cell: (attributes) => {
      this.#cell = attributes;
      this.#value = "";
      const column = countIn(attributes["Index"], MAX_COLUMNS);
      if (this.#rows !== null && column > 0) this.#rows.column = column - 1;
    },
    Data: ({ Type = "" }) => {
      this.#type = Type;
    },
  };

  open(name: string, attributes: XmlAttributes): "skip" | void {
    return ownEntryOf(this.#onOpen, name)?.(attributes);
  }

  text(data: string): void {
    if (this.#type !== null) this.#value = appendText(this.#value, data);
  }

  close(name: string): void {
    if (name === "Title") this.title = this.#formatValue().trim() || null;
    else if (name === "Data") this.#value = this.#formatValue();
    else if (name === "Cell") this.#closeCell(this.#cell);
    else if (name === "Row") this.#rows?.close();
    else if (name === "Worksheet") this.#writer?.endTable();
  }

  #closeCell({ HRef, Formula, MergeAcross, MergeDown }: XmlAttributes): void {
    const columns = 1 + countIn(MergeAcross, MAX_COLUMNS);
    const rows = 1 + countIn(MergeDown, MAX_ROWS);
    this.#rows?.put(this.#value, HRef ?? formulaTarget(Formula), columns, rows);
  }

  #formatValue(): string {
    const [type, value] = [this.#type, this.#value];
    const format = this.#formats.get(this.#cell["StyleID"] ?? "Default") ?? plainNumber;
    this.#type = null;
    if (type === "DateTime") return isoMoment(value);
    if (type === "Boolean") return value === "1" ? "TRUE" : "FALSE";
    const number = type !== "Number" || /^-?\d{16,}$|^\s*$/.test(value) ? NaN : Number(value);
    return Number.isFinite(number) ? format(number) : value;
  }
}
