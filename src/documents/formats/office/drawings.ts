import { Buffer } from "node:buffer";

import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { reasonOf } from "../../extracted-document.ts";
import { MAX_PICTURE_BYTES } from "../../pictures/picture.ts";
import type { Pictures } from "../../pictures/pictures.ts";
import type { BlockTarget } from "../../writing/block-list.ts";
import { DrawnText } from "../../writing/bounded-text.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { filledRow } from "../../writing/table-text.ts";
import type { ZipArchive } from "../archive/zip-archive.ts";
import { readXml, type XmlAttributes, type XmlHandler } from "../xml/xml-stream.ts";
import type { Relationship } from "./relationships.ts";
import { formatOf, plainNumber, type CellFormat } from "./sheets/number-formats.ts";

/** Titles or labels, each once, and a chart's data as a table. */
export type Drawing = { texts: string[]; rows: string[][] };

type Series = { name: string; categories: string[]; values: string[] };
type Role = keyof Series;

const MAX_SERIES = 100;
const MAX_POINTS = 1_000;
const ROLES = new Map<string, Role>([
  ["tx", "name"],
  ["cat", "categories"],
  ["xVal", "categories"],
  ["val", "values"],
  ["yVal", "values"],
  ["strDim", "categories"],
  ["numDim", "values"],
]);

const DRAWN = new Set(["chart", "chartEx", "diagramData", "drawing"]);

/** Reads charts (ECMA-376 part 1, §21.2; MS-ODRAWXML), diagrams (§21.4) and drawings, by ids. */
export function* drawingsOf(
  archive: ZipArchive,
  related: Relationship[],
  pictures: Pictures | null = null,
): CooperativeWork<Map<string, Drawing>> {
  const drawings = new Map<string, Drawing>();
  const drawn = new DrawnText();
  for (const { id, type, target } of related) {
    if (type === "image" && pictures !== null) {
      const mark = yield* markOf(archive, target, pictures);
      if (mark !== "") drawings.set(id, { texts: [mark], rows: [] });
    }
    if (!DRAWN.has(type)) continue;
    const reader = new DrawingReader(drawn);
    yield* readXml(archive.chunks(target), reader);
    drawings.set(id, { texts: [...reader.texts], rows: rowsOf(reader.series) });
  }
  return drawings;
}

/** Its first bytes say how large a picture is: no other is unpacked where none are read. */
function* markOf(archive: ZipArchive, target: string, pictures: Pictures): CooperativeWork<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (const chunk of archive.chunks(target)) {
      chunks.push(chunk);
      length += chunk.length;
      yield chunk.length;
      if (!pictures.areWanted || length > MAX_PICTURE_BYTES) break;
    }
  } catch (thrown) {
    reasonOf(thrown);
  }
  return pictures.reserve(Buffer.concat(chunks));
}

export function writeDrawing(
  { texts, rows }: Drawing,
  out: Pick<BlockTarget, "paragraph" | "filledTable">,
): void {
  for (const text of texts) out.paragraph(text);
  out.filledTable(rows.map(filledRow));
}

function rowsOf(series: Series[]): string[][] {
  const filled = series.filter(({ values }) => values.some(Boolean));
  const labels = filled.find(({ categories }) => categories.length > 0)?.categories ?? [];
  const length = Math.max(0, ...filled.map(({ values }) => values.length));
  const rows = Array.from({ length }, (_unused, at) => [
    labels[at] ?? "",
    ...filled.map(({ values }) => values[at] ?? ""),
  ]);
  return rows.length === 0 ? [] : [["", ...filled.map(({ name }) => name)], ...rows];
}

class DrawingReader implements XmlHandler {
  readonly texts = new Set<string>();
  readonly series: Series[] = [];
  #inSeries = false;
  #inTitle = 0;
  #role: Role | null = null;
  /** Levels of categories, such as months within years: the first, the innermost, is read. */
  #level = 0;
  #format: CellFormat = plainNumber;
  #is1904 = false;
  #point = 0;
  /** In newer charts, points hold their values as text. */
  #isPoint = false;
  #collects = false;
  #current = "";
  readonly #drawn: DrawnText;

  constructor(drawn: DrawnText) {
    this.#drawn = drawn;
  }

  open(name: string, { idx = "0", val = "1", formatCode = "" }: XmlAttributes): void {
    if (name === "ser" || name === "data") this.#openSeries();
    else if (name === "title" || name === "txData") this.#inTitle++;
    else if (name === "date1904") this.#is1904 = /^(1|true)$/.test(val);
    else if (this.#inSeries) this.#openPart(name, Number(idx), formatCode);
    if (/^(?:p|v|pt|formatCode)$/.test(name)) this.#current = "";
    this.#collects = this.#isText(name);
  }

  #openPart(name: string, point: number, formatCode: string): void {
    if (name === "pt") this.#point = point;
    else if (name === "lvl") {
      this.#level++;
      if (formatCode !== "") this.#format = formatOf(formatCode, this.#is1904);
    } else if (ROLES.has(name)) {
      this.#isPoint = name.endsWith("Dim");
      this.#role = ROLES.get(name) ?? null;
      this.#level = 0;
      this.#format = plainNumber;
    }
  }

  #isText(name: string): boolean {
    if (name === "v") return this.#role !== null || this.#inTitle > 0;
    if (name === "pt") return this.#isPoint && this.#role !== null;
    return name === "t" || (name === "formatCode" && this.#role !== null);
  }

  text(data: string): void {
    if (!this.#collects) return;
    this.#drawn.add(data);
    this.#current += data;
  }

  close(name: string): void {
    this.#collects = false;
    if (name === "v" || (name === "pt" && this.#isPoint)) this.#endValue();
    else if (name === "formatCode" && this.#role !== null) {
      this.#format = formatOf(this.#current, this.#is1904);
    } else if (name === "p") this.#endText();
    else if (name === "title" || name === "txData") this.#inTitle--;
    else if (name === "ser" || name === "data") this.#inSeries = false;
    else if (ROLES.has(name)) this.#role = null;
  }

  #openSeries(): void {
    this.#inSeries = this.series.length < MAX_SERIES;
    if (this.#inSeries) this.series.push({ name: "", categories: [], values: [] });
  }

  #endValue(): void {
    const series = this.series.at(-1);
    const text = foldSpace(this.#current);
    if (this.#role === null || series === undefined) this.#endText();
    else if (this.#role === "name") series.name = text;
    else if (this.#level < 2 && this.#point >= 0 && this.#point < MAX_POINTS) {
      const number = Number(text);
      const isNumber = text !== "" && Number.isFinite(number);
      series[this.#role][this.#point] = isNumber ? this.#format(number) : text;
    }
  }

  #endText(): void {
    const text = foldSpace(this.#current);
    if (text !== "") this.texts.add(text);
  }
}
