import { TableCollector } from "../html/table-collector.ts";
import { foldSpace } from "../fold-space.ts";
import type { XmlAttributes, XmlHandler } from "../xml/xml-stream.ts";

export type SlideBlock =
  | { kind: "title"; text: string }
  | { kind: "item"; depth: number; text: string; isOrdered: boolean }
  | { kind: "paragraph"; text: string }
  | { kind: "table"; rows: string[][] };

/** `lostText`: text of it was left out. */
type Shape = { placeholder: string; isHidden: boolean; lostText: boolean };

/** What stands on a slide, groups of it included. */
const SHAPES = new Set(["sp", "grpSp", "pic", "graphicFrame", "cxnSp"]);
/** Placeholders that repeat on every slide. */
const FURNITURE = new Set(["dt", "ftr", "sldNum", "hdr", "sldImg"]);
const TITLES = new Set(["title", "ctrTitle"]);

/** Reads a slide or its notes (ECMA-376 part 1, §19 and §21): shapes in their order. */
export class SlideReader implements XmlHandler {
  readonly blocks: SlideBlock[] = [];
  isHiddenSlide = false;
  /** Those that hold text. */
  hiddenShapes = 0;
  /** Relationships of the diagrams and charts among them. */
  readonly hiddenDrawings = new Set<string>();
  readonly #shapes: Shape[] = [];
  #paragraph = "";
  #depth = 0;
  #bullet: "unset" | "none" | "character" | "number" = "unset";
  #collects = false;
  #fallback = 0;
  #table: TableCollector | null = null;
  #cell = "";
  readonly #titleParts: string[] = [];

  readonly #onOpen: Record<string, (attributes: XmlAttributes) => void> = {
    sld: ({ show }) => {
      this.isHiddenSlide = show === "0" || show === "false";
    },
    cNvPr: ({ hidden }) => {
      const shape = this.#shapes.at(-1);
      if (shape !== undefined && (hidden === "1" || hidden === "true")) shape.isHidden = true;
    },
    ph: ({ type = "body" }) => {
      const shape = this.#shapes.at(-1);
      if (shape !== undefined) shape.placeholder = type;
    },
    relIds: (attributes) => this.#draw(attributes["r:dm"]),
    chart: (attributes) => this.#draw(attributes["r:id"]),
    p: () => {
      this.#paragraph = "";
      this.#depth = 0;
      this.#bullet = "unset";
    },
    pPr: ({ lvl = "0" }) => {
      this.#depth = Number(lvl);
    },
    buNone: () => {
      this.#bullet = "none";
    },
    buChar: () => {
      this.#bullet = "character";
    },
    buAutoNum: () => {
      this.#bullet = "number";
    },
    t: () => {
      this.#collects = true;
    },
    br: () => {
      this.#paragraph += "\n";
    },
    tbl: () => {
      this.#table = new TableCollector();
    },
    tr: () => this.#table?.startRow(),
    // Cells that a span covers stand in the file as well.
    tc: () => {
      this.#cell = "";
    },
  };

  open(name: string, attributes: XmlAttributes): void {
    if (name === "Fallback") this.#fallback++;
    if (this.#fallback > 0) return;
    if (SHAPES.has(name)) {
      const isHidden = this.#shapes.at(-1)?.isHidden ?? false;
      this.#shapes.push({ placeholder: "", isHidden, lostText: false });
    }
    this.#onOpen[name]?.(attributes);
  }

  text(data: string): void {
    if (this.#collects && this.#fallback === 0) this.#paragraph += data;
  }

  close(name: string): void {
    if (name === "Fallback") this.#fallback--;
    if (this.#fallback > 0) return;
    if (name === "t") this.#collects = false;
    else if (name === "p") this.#closeParagraph();
    else if (SHAPES.has(name)) this.#closeShape();
    else if (name === "tc") this.#table?.addCell(this.#cell);
    else if (name === "tbl") this.#closeTable();
  }

  #closeParagraph(): void {
    const text = this.#paragraph;
    this.#paragraph = "";
    if (foldSpace(text) === "") return;
    const shape = this.#shapes.at(-1);
    const placeholder = shape?.placeholder ?? "";
    if (shape?.isHidden === true) shape.lostText = true;
    else if (this.#table !== null) this.#cell += `\n${text}`;
    else if (TITLES.has(placeholder)) this.#titleParts.push(text);
    else if (!FURNITURE.has(placeholder)) this.#writeText(text, placeholder);
  }

  /** Body placeholders are bulleted unless they say otherwise; other shapes the other way round. */
  #writeText(text: string, placeholder: string): void {
    const isBody = placeholder === "body" || placeholder === "obj";
    const isItem = this.#bullet === "unset" ? isBody : this.#bullet !== "none";
    const isOrdered = this.#bullet === "number";
    this.blocks.push(
      isItem ? { kind: "item", depth: this.#depth, text, isOrdered } : { kind: "paragraph", text },
    );
  }

  #draw(relationship: string | undefined): void {
    const shape = this.#shapes.at(-1);
    if (shape?.isHidden !== true || relationship === undefined) return;
    shape.lostText = true;
    this.hiddenDrawings.add(relationship);
  }

  #closeShape(): void {
    if (this.#shapes.pop()?.lostText === true) this.hiddenShapes++;
    const text = foldSpace(this.#titleParts.splice(0).join(" "));
    if (text !== "") this.blocks.push({ kind: "title", text });
  }

  #closeTable(): void {
    if (this.#table !== null) this.blocks.push({ kind: "table", rows: this.#table.rows });
    this.#table = null;
  }
}
