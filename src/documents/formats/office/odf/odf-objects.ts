import type { DrawnText } from "../../../writing/bounded-text.ts";
import { foldSpace } from "../../../writing/fold-space.ts";
import type { XmlAttributes, XmlHandler } from "../../xml/xml-stream.ts";
import { OpenFormula } from "../formula.ts";

export type OdfObject = { formula: string; texts: string[]; rows: string[][] };

const MAX_ROWS = 1_000;
const MAX_CELLS = 100;

export class OdfObjectReader implements XmlHandler {
  readonly object: OdfObject = { formula: "", texts: [], rows: [] };
  readonly #formula = new OpenFormula();
  #inBody = false;
  #paragraph: string | null = null;
  #cell: string | null = null;
  readonly #drawn: DrawnText;

  constructor(drawn: DrawnText) {
    this.#drawn = drawn;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#formula.open(name, attributes)) return;
    if (name === "body") this.#inBody = true;
    if (!this.#inBody) return;
    if (name === "p") this.#paragraph = "";
    else if (name === "table-row" && this.object.rows.length < MAX_ROWS) this.object.rows.push([]);
    else if (name === "table-cell") this.#cell = "";
  }

  text(data: string): void {
    if (this.#formula.takes(data)) this.#drawn.add(data);
    else if (this.#paragraph !== null) {
      this.#drawn.add(data);
      this.#paragraph += data;
    }
  }

  close(name: string): void {
    const formula = this.#formula.close();
    if (formula !== null) this.object.formula += formula;
    else if (name === "p") this.#closeParagraph();
    else if (name === "table-cell") {
      const row = this.object.rows.at(-1);
      if (row !== undefined && row.length < MAX_CELLS) row.push(this.#cell ?? "");
      this.#cell = null;
    }
  }

  #closeParagraph(): void {
    const text = foldSpace(this.#paragraph ?? "");
    this.#paragraph = null;
    if (text === "") return;
    if (this.#cell === null) this.object.texts.push(text);
    else this.#cell = `${this.#cell} ${text}`;
  }
}
