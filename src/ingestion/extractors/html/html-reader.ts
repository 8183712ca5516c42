import { Parser } from "htmlparser2";
import type { Stretches } from "../../../core/stretches.ts";
import { foldSpace } from "../fold-space.ts";
import { LongTable } from "../long-table.ts";
import type { MarkdownBuilder } from "../markdown-builder.ts";
import { TextPieces } from "../text-pieces.ts";
import { flattenNesting } from "./flatten-nesting.ts";
import { collectHiddenSelectors, isHidden } from "./hidden-styles.ts";
import type { HiddenSelectors } from "./hidden-styles.ts";
import { BLOCKS, isNavigation, SKIPPED } from "./html-roles.ts";
import { TableCollector } from "./table-collector.ts";

type Attributes = Record<string, string>;
type List = { ordered: boolean; next: number };
/** What closing an element undoes; `plain` undoes nothing. */
type Effect = "plain" | "skip" | "code" | "quote" | "content" | "link" | "note";
type OpenTable = { table: TableCollector; long: LongTable; isLayout: boolean };

export type HtmlFacts = {
  title: string | null;
  language: string | null;
  hiddenElements: number;
  flattened: boolean;
};

const PARSE_STEP_CHARACTERS = 1 << 16;
const LINK_TARGET = /^(https?:\/\/|mailto:)/i;
const MAX_LINK_CHARACTERS = 300;
const LISTS = new Set(["ul", "ol", "menu", "dl"]);
const ITEMS = new Set(["li", "dt", "dd"]);
const CELLS = new Set(["td", "th"]);
const HEADING = /^h[1-6]$/;
const EFFECTS: Record<string, Effect> = {
  title: "skip",
  main: "content",
  article: "content",
  blockquote: "quote",
  code: "code",
  kbd: "code",
  samp: "code",
};

/**
 * Reads HTML in one pass, without a tree, so that memory does not grow with nesting.
 * `keepNavigation` reads what leads around the site as well.
 */
export function* readHtml(
  html: string,
  out: MarkdownBuilder,
  options: { keepNavigation?: boolean } = {},
): Stretches<HtmlFacts> {
  const { html: flat, flattened } = yield* flattenNesting(html);
  const reader = new HtmlReader(out, options.keepNavigation ?? false);
  const parser = new Parser(reader);
  for (let at = 0; at < flat.length; at += PARSE_STEP_CHARACTERS) {
    const step = flat.slice(at, at + PARSE_STEP_CHARACTERS);
    parser.write(step);
    yield step.length;
  }
  parser.end();
  reader.finish();
  return {
    title: reader.title,
    language: reader.language,
    hiddenElements: reader.hidden,
    flattened,
  };
}

function anchorEffect(attributes: Attributes): Effect {
  const role = `${attributes["role"] ?? ""} ${attributes["epub:type"] ?? ""}`;
  if (role.includes("noteref")) return "note";
  return LINK_TARGET.test(attributes["href"] ?? "") ? "link" : "plain";
}

class HtmlReader {
  title: string | null = null;
  language: string | null = null;
  hidden = 0;
  #hasTitle = false;
  readonly #text = new TextPieces();
  #heading = 0;
  #item: { marker: string; depth: number } | null = null;
  #preformatted = 0;
  #quoted = 0;
  #contentDepth = 0;
  #skipping = 0;
  #sink: "title" | "style" | null = null;
  #sunk = "";
  readonly #open: { name: string; effect: Effect; textStart: number; href: string }[] = [];
  readonly #lists: List[] = [];
  readonly #tables: OpenTable[] = [];
  #cell: { columnSpan: number; rowSpan: number } | null = null;
  readonly #hiddenSelectors: HiddenSelectors = new Set();
  readonly #out: MarkdownBuilder;
  readonly #keepNavigation: boolean;

  constructor(out: MarkdownBuilder, keepNavigation: boolean) {
    this.#out = out;
    this.#keepNavigation = keepNavigation;
  }

  onopentag(name: string, attributes: Attributes): void {
    this.#noteFacts(name, attributes);
    const effect = this.#effectOf(name, attributes);
    const open = { name, effect, textStart: this.#text.end, href: attributes["href"] ?? "" };
    this.#open.push(open);
    if (effect === "skip") this.#skipping++;
    if (this.#skipping > 0) return;
    if (BLOCKS.has(name)) this.#openBlock(name, attributes);
    else if (name === "br") this.#text.add("\n");
    else if (name === "img") this.#text.add(` ${attributes["alt"] ?? ""} `);
    this.#count(effect, 1);
    open.textStart = this.#text.end;
  }

  onclosetag(name: string): void {
    const open = this.#open.pop();
    if (open === undefined) return;
    if (this.#sink !== null && this.#sink === name) this.#endSink();
    if (open.effect === "skip") this.#skipping--;
    if (open.effect === "skip" || this.#skipping > 0) return;
    if (open.effect === "link") this.#closeLink(open.textStart, open.href);
    if (open.effect === "note") this.#closeNote(open.textStart);
    if (open.effect === "code") this.#closeCode(open.textStart);
    if (BLOCKS.has(name)) this.#closeBlock(name);
    this.#count(open.effect, -1);
  }

  ontext(data: string): void {
    if (this.#sink !== null) this.#sunk += data;
    else if (this.#skipping === 0) {
      this.#text.add(this.#preformatted > 0 ? data : data.replace(/\s+/g, " "));
    }
  }

  finish(): void {
    this.#flush();
    while (this.#tables.length > 0) this.#closeTable();
  }

  #noteFacts(name: string, attributes: Attributes): void {
    if (name === "html") this.language ??= attributes["lang"] ?? attributes["xml:lang"] ?? null;
    else if (name === "meta") this.#onMeta(attributes);
    else if (name === "style" || (name === "title" && !this.#hasTitle)) {
      if (this.#skipping > 0) return;
      this.#sink = name;
      this.#sunk = "";
    }
  }

  #effectOf(name: string, attributes: Attributes): Effect {
    if (SKIPPED.has(name)) return "skip";
    if (isHidden(name, attributes, this.#hiddenSelectors)) {
      if (this.#skipping === 0) this.hidden++;
      return "skip";
    }
    const leadsAround = isNavigation(name, attributes, this.#contentDepth > 0);
    if (leadsAround && !this.#keepNavigation) return "skip";
    if (name === "a") return anchorEffect(attributes);
    return EFFECTS[name] ?? "plain";
  }

  #count(effect: Effect, step: 1 | -1): void {
    if (effect === "content") this.#contentDepth += step;
    if (effect === "quote") this.#quoted += step;
  }

  #onMeta(attributes: Attributes): void {
    const { content } = attributes;
    if (content === undefined) return;
    if (attributes["http-equiv"]?.toLowerCase() === "content-language") this.language ??= content;
    if (attributes["property"] === "og:title") this.title ??= foldSpace(content) || null;
  }

  #endSink(): void {
    if (this.#sink === "style") collectHiddenSelectors(this.#sunk, this.#hiddenSelectors);
    else {
      this.title = foldSpace(this.#sunk) || this.title;
      this.#hasTitle = true;
    }
    this.#sink = null;
  }

  #openBlock(name: string, attributes: Attributes): void {
    this.#flush();
    if (LISTS.has(name)) {
      this.#lists.push({ ordered: name === "ol", next: Number(attributes["start"] ?? 1) || 1 });
    } else if (ITEMS.has(name)) this.#startItem(name);
    else if (name === "pre") this.#preformatted++;
    else if (HEADING.test(name)) this.#startHeading(Number(name[1]));
    else this.#openTablePart(name, attributes);
  }

  #startHeading(level: number): void {
    const table = this.#tables.at(-1);
    // Headings inside cells mean that the table only places things.
    if (this.#cell !== null && table !== undefined) this.#makeLayout(table);
    this.#heading = level;
  }

  #openTablePart(name: string, attributes: Attributes): void {
    const current = this.#tables.at(-1);
    if (name === "table") {
      // As does a table inside a cell.
      if (current !== undefined && !current.isLayout) this.#makeLayout(current);
      const long = new LongTable(this.#out);
      this.#tables.push({ table: new TableCollector(), long, isLayout: false });
    } else if (current === undefined || current.isLayout) return;
    else if (name === "tr") {
      current.table.startRow();
    } else if (CELLS.has(name)) {
      current.long.add(current.table.takeMany());
      this.#text.take();
      const { colspan = "1", rowspan = "1" } = attributes;
      this.#cell = { columnSpan: Number(colspan), rowSpan: Number(rowspan) };
    }
  }

  #makeLayout(outer: OpenTable): void {
    outer.isLayout = true;
    for (const cell of outer.table.rows.splice(0).flat()) this.#out.paragraph(cell);
    this.#cell = null;
    this.#out.paragraph(this.#text.take());
  }

  #startItem(name: string): void {
    const depth = Math.max(0, this.#lists.length - 1) + (name === "dd" ? 1 : 0);
    const list = this.#lists.at(-1);
    const marker = list?.ordered === true && name === "li" ? `${list.next++}.` : "-";
    this.#item = { marker, depth };
  }

  #closeBlock(name: string): void {
    if (CELLS.has(name) && this.#cell !== null) {
      this.#tables
        .at(-1)
        ?.table.addCell(this.#text.take(), this.#cell.columnSpan, this.#cell.rowSpan);
      this.#cell = null;
      return;
    }
    this.#flush();
    if (LISTS.has(name)) this.#lists.pop();
    else if (ITEMS.has(name)) this.#item = null;
    else if (name === "pre") this.#preformatted--;
    else if (HEADING.test(name)) this.#heading = 0;
    else if (name === "table") this.#closeTable();
  }

  #closeTable(): void {
    const closed = this.#tables.pop();
    if (closed === undefined || closed.isLayout) return;
    closed.long.add(closed.table.rows);
    closed.long.end();
  }

  #closeLink(textStart: number, href: string): void {
    const text = this.#text.takeFrom(textStart);
    const label = foldSpace(text);
    const target = href.trim();
    const isTold = label === "" || label === target || /[\s()]/.test(target);
    if (isTold || this.#preformatted > 0 || target.length > MAX_LINK_CHARACTERS) {
      this.#text.add(text);
    } else this.#text.add(`${/^\s/.test(text) ? " " : ""}[${label}](${target})`);
  }

  #closeNote(textStart: number): void {
    const text = this.#text.takeFrom(textStart);
    const mark = text.replace(/\D/g, "");
    this.#text.add(mark === "" ? text : `[^${mark}]`);
  }

  #closeCode(textStart: number): void {
    const code = this.#text.takeFrom(textStart);
    const isPlain = this.#preformatted > 0 || code.trim() === "" || code.includes("`");
    this.#text.add(isPlain ? code : `\`${foldSpace(code)}\``);
  }

  /** Writes the gathered text as what its surroundings say it is. */
  #flush(): void {
    if (this.#cell !== null) {
      // Blocks inside a cell become lines, which the table folds.
      if (!this.#text.isEmpty) this.#text.add("\n");
      return;
    }
    const text = this.#text.take();
    if (text.trim() === "") return;
    if (this.#preformatted > 0) this.#out.code(text);
    else if (this.#heading > 0) this.#out.heading(this.#heading, text);
    else if (this.#item !== null) this.#writeItem(this.#item, text);
    else if (this.#quoted > 0) this.#out.quote(text);
    else this.#out.paragraph(text);
  }

  #writeItem(item: { marker: string; depth: number }, text: string): void {
    this.#out.listItem(item.depth, item.marker, text);
    this.#item = null;
  }
}
