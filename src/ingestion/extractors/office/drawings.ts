import type { Stretches } from "../../../core/stretches.ts";
import type { DrawnText } from "../bounded-text.ts";
import type { ZipArchive } from "../archive/zip-archive.ts";
import { foldSpace } from "../fold-space.ts";
import type { MarkdownBuilder } from "../markdown-builder.ts";
import { plainNumber } from "./number-formats.ts";
import { readXml } from "../xml/xml-stream.ts";
import type { XmlAttributes, XmlHandler } from "../xml/xml-stream.ts";

/** What a chart or diagram says: titles or labels, each once, and a chart's data as a table. */
export type Drawing = { texts: string[]; rows: string[][] };

type Series = { name: string; categories: string[]; values: string[] };

/** As many as a chart shows. */
const MAX_SERIES = 100;
const MAX_POINTS = 1_000;
/** Elements of a series by what their points are. */
const ROLES: Record<string, keyof Series> = {
  tx: "name",
  cat: "categories",
  xVal: "categories",
  val: "values",
  yVal: "values",
};

/** Reads a part of DrawingML: a chart (ECMA-376 part 1, §21.2) or a diagram's data (§21.4). */
export function* readDrawing(
  archive: ZipArchive,
  part: string,
  drawn: DrawnText,
): Stretches<Drawing> {
  const reader = new DrawingReader(drawn);
  yield* readXml(archive.chunks(part), reader);
  return { texts: [...reader.texts], rows: rowsOf(reader.series) };
}

export function writeDrawing({ texts, rows }: Drawing, out: MarkdownBuilder): void {
  for (const text of texts) out.paragraph(text);
  out.table(rows);
}

function rowsOf(series: Series[]): string[][] {
  const filled = series.filter(({ values }) => values.some(Boolean));
  const named = filled.find(({ categories }) => categories.length > 0)?.categories ?? [];
  const length = Math.max(0, ...filled.map(({ values }) => values.length));
  const rows = Array.from({ length }, (_unused, at) => [
    named[at] ?? "",
    ...filled.map(({ values }) => values[at] ?? ""),
  ]);
  return rows.length === 0 ? [] : [["", ...filled.map(({ name }) => name)], ...rows];
}

class DrawingReader implements XmlHandler {
  readonly texts = new Set<string>();
  readonly series: Series[] = [];
  #inSeries = false;
  #inTitle = 0;
  #role: keyof Series | null = null;
  #point = 0;
  #collects = false;
  #current = "";
  readonly #drawn: DrawnText;

  constructor(drawn: DrawnText) {
    this.#drawn = drawn;
  }

  open(name: string, { idx = "0" }: XmlAttributes): void {
    if (name === "ser") this.#openSeries();
    else if (name === "title") this.#inTitle++;
    else if (this.#inSeries && Object.hasOwn(ROLES, name)) this.#role = ROLES[name] ?? null;
    else if (name === "pt") this.#point = Number(idx);
    else if (name === "p" || name === "v") this.#current = "";
    this.#collects = name === "t" || (name === "v" && this.#isNamed);
  }

  /** Whether a value belongs to a series or a title. */
  get #isNamed(): boolean {
    return this.#role !== null || this.#inTitle > 0;
  }

  text(data: string): void {
    if (!this.#collects) return;
    this.#drawn.add(data);
    this.#current += data;
  }

  close(name: string): void {
    this.#collects = false;
    if (name === "v") this.#endPoint();
    else if (name === "p") this.#endText();
    else if (name === "title") this.#inTitle--;
    else if (name === "ser") this.#inSeries = false;
    else if (name in ROLES) this.#role = null;
  }

  #openSeries(): void {
    this.#inSeries = this.series.length < MAX_SERIES;
    if (this.#inSeries) this.series.push({ name: "", categories: [], values: [] });
  }

  #endPoint(): void {
    if (this.#role === null) {
      this.#endText();
      return;
    }
    const series = this.series.at(-1);
    const text = foldSpace(this.#current);
    this.#current = "";
    if (series === undefined) return;
    if (this.#role === "name") series.name = text;
    else if (this.#point >= 0 && this.#point < MAX_POINTS) {
      const number = Number(text);
      const isNumber = text !== "" && Number.isFinite(number);
      series[this.#role][this.#point] = isNumber ? plainNumber(number) : text;
    }
  }

  #endText(): void {
    const text = foldSpace(this.#current);
    this.#current = "";
    if (text !== "") this.texts.add(text);
  }
}
