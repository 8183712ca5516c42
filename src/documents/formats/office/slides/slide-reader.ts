import { foldSpace } from "../../../writing/fold-space.ts";
import { LinkedText } from "../../../writing/link-text.ts";
import { LongTable } from "../../../writing/long-table.ts";
import { heightOf } from "../../../writing/raised-text.ts";
import { ownEntryOf } from "../../archive/own-entry.ts";
import type { XmlAttributes, XmlHandler } from "../../xml/xml-stream.ts";
import { OpenFormula } from "../formula.ts";
import { formatCount, markerFor } from "../list-labels.ts";
import { NestedTables } from "../nested-tables.ts";
import { SlideBlocks } from "./slide-blocks.ts";

/** `lostText`: whether text of the shape was left out. */
type Shape = { placeholder: string; isHidden: boolean; lostText: boolean };

const SHAPES = new Set(["sp", "grpSp", "pic", "graphicFrame", "cxnSp"]);
const FURNITURE = new Set(["dt", "ftr", "sldNum", "hdr", "sldImg"]);
const MAX_LEVEL = 8;
const TITLES = new Set(["title", "ctrTitle"]);

/** ECMA-376 part 1, §20.1.10.61; `last`: the number used last. */
type Count = { scheme: string; start: number; last: number };

type Bullet = "unset" | "none" | "character" | Omit<Count, "last">;

/** `romanLcParenR` writes 4 as `iv)`. */
function labelIn(scheme: string, count: number): string {
  const [, latin, height] = /^(alpha|roman)([LU])c/.exec(scheme) ?? [];
  const kind = latin === "roman" ? "Roman" : "Letter";
  const format = (height === "L" ? "lower" : "upper") + kind;
  const number = formatCount(latin === undefined ? scheme : format, count);
  if (scheme.endsWith("ParenBoth")) return `(${number})`;
  return number + (scheme.endsWith("ParenR") ? ")" : scheme.endsWith("Plain") ? "" : ".");
}

/** Reads a slide or its notes (ECMA-376 part 1, §19 and §21): shapes in their order. */
export class SlideReader implements XmlHandler {
  readonly blocks = new SlideBlocks();
  isHiddenSlide = false;
  hiddenShapes = 0;
  readonly hiddenDrawings = new Set<string>();
  readonly #shapes: Shape[] = [];
  readonly #paragraph = new LinkedText();
  #depth = 0;
  #bullet: Bullet = "unset";
  readonly #counts: (Count | undefined)[] = [];
  /** Where the open run begins, and where it leads. */
  #run: { start: number; target: string; height: number } | null = null;
  readonly #formula = new OpenFormula();
  #collects = false;
  readonly #tables = new NestedTables();
  readonly #table = new LongTable(this.blocks);
  readonly #titleParts: string[] = [];
  readonly #links: Map<string, string>;

  constructor(links = new Map<string, string>()) {
    this.#links = links;
  }

  readonly #onOpen: Record<string, (attributes: XmlAttributes) => void> = {
    sld: ({ show }) => {
      this.isHiddenSlide = show === "0" || show === "false";
    },
    cNvPr: ({ hidden = "" }) => {
      if (/^(1|true)$/.test(hidden)) this.#changeShape({ isHidden: true });
    },
    ph: ({ type = "body" }) => this.#changeShape({ placeholder: type }),
    relIds: (attributes) => this.#draw(attributes["r:dm"]),
    chart: (attributes) => this.#draw(attributes["r:id"]),
    p: () => {
      this.#paragraph.take();
      this.#depth = 0;
      this.#bullet = "unset";
    },
    pPr: ({ lvl = "0" }) => {
      this.#depth = Math.min(Math.max(0, Number(lvl) || 0), MAX_LEVEL);
    },
    buNone: () => this.#setBullet("none"),
    buChar: () => this.#setBullet("character"),
    buAutoNum: ({ type: scheme = "arabicPeriod", startAt = "1" }) =>
      this.#setBullet({ scheme, start: Number(startAt) || 1 }),
    r: () => {
      this.#run = { start: 0, target: "", height: 0 };
    },
    rPr: ({ baseline }) => {
      if (this.#run !== null) this.#run.height = heightOf(baseline);
    },
    hlinkClick: (attributes) => {
      const target = this.#links.get(attributes["r:id"] ?? "") ?? "";
      if (this.#run !== null) Object.assign(this.#run, { target, start: this.#paragraph.length });
    },
    t: () => {
      this.#collects = true;
    },
    br: () => {
      this.#paragraph.add("\n");
    },
    tbl: () => this.#tables.open(),
    tr: () => this.#tables.openRow(),
    // The file also contains the cells that a span covers.
    tc: ({ vMerge = "0" }) => {
      this.#tables.openCell();
      this.#tables.changeCell({ isContinued: /^(1|true)$/.test(vMerge) });
    },
  };

  #setBullet(bullet: Bullet): void {
    this.#bullet = bullet;
  }

  #changeShape(change: Partial<Shape>): void {
    Object.assign(this.#shapes.at(-1) ?? {}, change);
  }

  open(name: string, attributes: XmlAttributes): "skip" | undefined {
    if (name === "Fallback") return "skip";
    if (SHAPES.has(name)) {
      const isHidden = this.#shapes.at(-1)?.isHidden ?? false;
      this.#shapes.push({ placeholder: "", isHidden, lostText: false });
    }
    if (!this.#formula.open(name, attributes)) ownEntryOf(this.#onOpen, name)?.(attributes);
    return undefined;
  }

  text(data: string): void {
    if (!this.#formula.take(data) && this.#collects) this.#paragraph.add(data, this.#run?.height);
  }

  close(name: string): void {
    const formula = this.#formula.close();
    if (formula !== null) this.#paragraph.add(formula);
    else if (SHAPES.has(name)) this.#closeShape();
    else ownEntryOf(this.#onClose, name)?.();
  }

  readonly #onClose: Record<string, () => void> = {
    t: () => {
      this.#collects = false;
    },
    r: () => {
      if (this.#run !== null) this.#paragraph.linkFrom(this.#run.start, this.#run.target);
      this.#run = null;
    },
    p: () => this.#closeParagraph(),
    tc: () => this.#tables.closeCell(),
    tr: () => this.#table.add(this.#tables.closeRow()),
    tbl: () => {
      if (this.#tables.close()) this.#table.end();
    },
  };

  #closeParagraph(): void {
    const text = this.#paragraph.take();
    if (foldSpace(text) === "") return;
    const shape = this.#shapes.at(-1);
    const placeholder = shape?.placeholder ?? "";
    if (shape?.isHidden === true) shape.lostText = true;
    else if (TITLES.has(placeholder)) this.#titleParts.push(text);
    else if (!FURNITURE.has(placeholder)) this.#writeText(text, placeholder);
  }

  /** Writes a paragraph. Body placeholders have bullets by default, other shapes do not. */
  #writeText(text: string, placeholder: string): void {
    const { cell } = this.#tables;
    const target = cell ?? this.blocks;
    const isBody = cell === undefined && (placeholder === "body" || placeholder === "obj");
    const isItem = this.#bullet === "unset" ? isBody : this.#bullet !== "none";
    const depth = this.#depth;
    // A paragraph without a number restarts the numbering of its level and those below.
    const bulletDepth = typeof this.#bullet === "object" ? depth + 1 : depth;
    this.#counts.length = Math.min(this.#counts.length, bulletDepth);
    if (isItem) {
      const { marker, prefix } = markerFor(this.#nextLabel());
      target.listItem(depth, marker, prefix + text);
    } else target.paragraph(text);
  }

  #nextLabel(): string {
    if (typeof this.#bullet !== "object") return "";
    const { scheme, start } = this.#bullet;
    const before = this.#counts[this.#depth];
    const goesOn = before?.scheme === scheme && before.start === start;
    const last = goesOn ? before.last + 1 : start;
    this.#counts[this.#depth] = { scheme, start, last };
    return labelIn(scheme, last);
  }

  #draw(relationship: string | undefined): void {
    const shape = this.#shapes.at(-1);
    if (shape?.isHidden !== true || relationship === undefined) return;
    shape.lostText = true;
    this.hiddenDrawings.add(relationship);
  }

  #closeShape(): void {
    this.#counts.length = 0;
    if (this.#shapes.pop()?.lostText === true) this.hiddenShapes++;
    const text = foldSpace(this.#titleParts.splice(0).join(" "));
    if (text !== "") this.blocks.title(text);
  }
}
