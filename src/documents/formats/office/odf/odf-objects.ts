import type { DrawnText } from "../../../writing/bounded-text.ts";
import { foldSpace } from "../../../writing/fold-space.ts";
import type { XmlHandler } from "../../xml/xml-stream.ts";
import { OpenFormula } from "../formula.ts";
import { countOf } from "../nested-tables.ts";

export type OdfObject = { formula: string; texts: string[]; rows: string[][] };

const MAX_ROWS = 1_000;
const MAX_CELLS = 100;
const CELLS = new Set(["table-cell", "covered-table-cell"]);
const SPACES = new Set(["s", "tab", "line-break"]);

/** Reads a chart or a formula into `object`. */
export function odfObjectReader(object: OdfObject, drawn: DrawnText): XmlHandler {
  const formula = new OpenFormula();
  let inBody = false;
  let paragraph: string | null = null;
  let cell: string | null = null;
  let repeat = 1;
  const closeParagraph = () => {
    const text = foldSpace(paragraph ?? "");
    paragraph = null;
    if (text === "") return;
    if (cell === null) object.texts.push(text);
    else cell = `${cell} ${text}`;
  };
  /** A copy counts as text, too. */
  const closeCell = (text: string) => {
    const row = object.rows.at(-1) ?? [];
    for (let copy = 0; copy < repeat && row.length < MAX_CELLS; copy++) {
      if (copy > 0) drawn.add(text);
      row.push(text);
    }
  };
  return {
    open(name, attributes) {
      if (formula.open(name, attributes)) return;
      if (name === "body") inBody = true;
      if (!inBody) return;
      if (name === "p" || name === "h") paragraph = "";
      else if (SPACES.has(name) && paragraph !== null) paragraph += " ";
      else if (name === "table-row" && object.rows.length < MAX_ROWS) object.rows.push([]);
      else if (CELLS.has(name)) {
        cell = "";
        repeat = countOf(attributes["number-columns-repeated"] ?? "1");
      }
    },
    text(data) {
      if (formula.take(data)) drawn.add(data);
      else if (paragraph !== null) {
        drawn.add(data);
        paragraph += data;
      }
    },
    close(name) {
      const text = formula.close();
      if (text !== null) object.formula += text;
      else if (name === "p" || name === "h") closeParagraph();
      else if (CELLS.has(name)) {
        closeCell(cell ?? "");
        cell = null;
      }
    },
  };
}
