import type { DrawnText } from "../../../writing/bounded-text.ts";
import { foldSpace } from "../../../writing/fold-space.ts";
import type { XmlHandler } from "../../xml/xml-stream.ts";
import { OpenFormula } from "../formula.ts";

export type OdfObject = { formula: string; texts: string[]; rows: string[][] };

const MAX_ROWS = 1_000;
const MAX_CELLS = 100;

/** Reads a chart or a formula into `object`. */
export function odfObjectReader(object: OdfObject, drawn: DrawnText): XmlHandler {
  const formula = new OpenFormula();
  let inBody = false;
  let paragraph: string | null = null;
  let cell: string | null = null;
  const closeParagraph = () => {
    const text = foldSpace(paragraph ?? "");
    paragraph = null;
    if (text === "") return;
    if (cell === null) object.texts.push(text);
    else cell = `${cell} ${text}`;
  };
  return {
    open(name, attributes) {
      if (formula.open(name, attributes)) return;
      if (name === "body") inBody = true;
      if (!inBody) return;
      if (name === "p") paragraph = "";
      else if (name === "table-row" && object.rows.length < MAX_ROWS) object.rows.push([]);
      else if (name === "table-cell") cell = "";
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
      else if (name === "p") closeParagraph();
      else if (name === "table-cell") {
        const row = object.rows.at(-1);
        if (row !== undefined && row.length < MAX_CELLS) row.push(cell ?? "");
        cell = null;
      }
    },
  };
}
