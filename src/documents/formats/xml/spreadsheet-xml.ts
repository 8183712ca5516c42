import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import type { Extraction } from "../../extracted-document.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { longer } from "../../writing/bounded-text.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { entryNamed } from "../archive/named-entry.ts";
import { CellRanges, formulaTarget } from "../office/sheets/cell-ranges.ts";
import { isoMoment, plainNumber } from "../office/sheets/number-formats.ts";
import { SheetRows } from "../office/sheets/sheet-rows.ts";
import { SheetWriter } from "../office/sheets/sheet-writer.ts";
import { XmlStream, type XmlAttributes, type XmlHandler } from "./xml-stream.ts";

const ROOT = /<(?:\w+:)?Workbook\s[^>]{0,2000}urn:schemas-microsoft-com:office:spreadsheet/;
const [MAX_COLUMNS, MAX_ROWS] = [1 << 14, 1 << 20];

const countIn = (text: string | undefined, most: number) =>
  Math.min(Math.max(Math.trunc(Number(text)) || 0, 0), most);

export const isSpreadsheet = (xml: string) => ROOT.test(xml.slice(0, 10_000));

/** The XML of Excel 2002 and 2003 (https://en.wikipedia.org/wiki/SpreadsheetML), as `.xlsx`. */
export function* readSpreadsheet(xml: string): CooperativeWork<Extraction> {
  const out = new MarkdownBuilder();
  const stream = new XmlStream(new SpreadsheetReader(out));
  yield* stream.write(xml);
  return out.extraction({ notes: stream.end().endsEarly ? [ENDS_EARLY] : [] });
}

class SpreadsheetReader implements XmlHandler {
  #sheets = 0;
  #writer: SheetWriter | null = null;
  #rows: SheetRows | null = null;
  #cell: XmlAttributes = {};
  #type: string | null = null;
  #value = "";
  readonly #out: MarkdownBuilder;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  readonly #onOpen: Record<string, (attributes: XmlAttributes) => void> = {
    Worksheet: ({ Name = "" }) => {
      this.#writer = new SheetWriter(this.#out, { page: ++this.#sheets, name: Name });
      this.#rows = new SheetRows(this.#writer, new CellRanges(new Map()));
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

  open(name: string, attributes: XmlAttributes): "skip" | undefined {
    if (name === "Comment" || name === "WorksheetOptions") return "skip";
    entryNamed(this.#onOpen, name)?.(attributes);
    return undefined;
  }

  text(data: string): void {
    if (this.#type !== null) this.#value = longer(this.#value, data);
  }

  close(name: string): void {
    if (name === "Data") this.#value = this.#shownValue();
    else if (name === "Cell") this.#closeCell(this.#cell);
    else if (name === "Row") this.#rows?.close();
    else if (name === "Worksheet") this.#writer?.endTable();
  }

  #closeCell({ HRef, Formula, MergeAcross, MergeDown }: XmlAttributes): void {
    const columns = 1 + countIn(MergeAcross, MAX_COLUMNS);
    const rows = 1 + countIn(MergeDown, MAX_ROWS);
    this.#rows?.put(this.#value, HRef ?? formulaTarget(Formula), columns, rows);
  }

  #shownValue(): string {
    const [type, value] = [this.#type, this.#value];
    this.#type = null;
    if (type === "DateTime") return isoMoment(value);
    if (type === "Boolean") return value === "1" ? "TRUE" : "FALSE";
    const number = type !== "Number" || /^-?\d{16,}$|^\s*$/.test(value) ? NaN : Number(value);
    return Number.isFinite(number) ? plainNumber(number) : value;
  }
}
