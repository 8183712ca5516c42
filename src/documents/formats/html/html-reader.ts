import { UnreadableDocument } from "../../extracted-document.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { TextPieces } from "../../writing/text-pieces.ts";
import { OpenFormula } from "../office/formula.ts";
import { codeLanguageOf, languageOfName } from "./code-language.ts";
import {
  BLOCKS,
  alternativeOf,
  effectOf,
  isBesideText,
  isControl,
  elementOf,
  isHidden,
  isLine,
  isMain,
  isMount,
  isNavigation,
  isTab,
  LINES,
  SKIPPED,
  type Attributes,
  type Effect,
  INLINE_EFFECTS,
  OpenDepths,
  openElement,
  type OpenElement,
} from "./html-roles.ts";
import { inlineText, MAX_INLINE_DEPTH } from "./inline-texts.ts";
import { LeadingParts } from "./leading-parts.ts";
import { OpenItems } from "./open-items.ts";
import { OpenTables } from "./open-tables.ts";
import { OpenTabs } from "./open-tabs.ts";
import { PageFacts } from "./page-facts.ts";

export type HtmlOptions = {
  keepNavigation?: boolean;
  leave?: number[];
  /** Elements may close in themselves: `<title/>`. */
  isXhtml?: boolean;
  isFrame?: boolean;
  readFrame?: (page: string) => void;
};

const CELLS = new Set(["td", "th"]);
const CODE_AROUND = new Set(["pre", "div", "figure"]);
const HEADING = /^h[1-6]$/;
/** At each tag the parser goes through all open elements: the limit keeps its work linear. */
const MAX_DEPTH = 1_000;
/** A longer text is divided: all of it is folded at once. */
const LONG_TEXT = 1 << 17;
const BLANK_LINE = /\n\s*\n/;
/** The title of the code that follows. */
const FILE_NAME = /^\s*[\w./-]{1,99}\.\w{1,9}\s*$/;

export class HtmlReader {
  readonly facts = new PageFacts();
  readonly parts: LeadingParts;
  readonly #text = new TextPieces();
  #heading = 0;
  #preformatted = 0;
  #codeLanguage = "";
  #readings = "";
  readonly #tabs = new OpenTabs();
  #skipping = 0;
  /** Ids of what a button in a heading opens: https://www.w3.org/WAI/ARIA/apg/patterns/accordion/ */
  readonly #collapsed = new Set<string>();
  readonly #formula = new OpenFormula();
  readonly #depths = new OpenDepths();
  readonly #open: OpenElement[] = [];
  #items = new OpenItems();
  readonly #tables: OpenTables;
  readonly #out: MarkdownBuilder;
  readonly #options: HtmlOptions;

  constructor(out: MarkdownBuilder, options: HtmlOptions) {
    this.#out = out;
    this.#tables = new OpenTables(out);
    this.#options = options;
    this.parts = new LeadingParts(options.leave);
  }

  onopentag(tag: string, attributes: Attributes): void {
    const around = this.#open.at(-1);
    const name = elementOf(tag, attributes, around);
    this.facts.open(name, attributes, this.#skipping > 0);
    const effect = this.parts.isNextLeft() ? "skip" : this.#effectOf(name, attributes);
    const open = openElement(name, effect, attributes, around);
    this.#open.push(open);
    if (this.#open.length > MAX_DEPTH) throw new UnreadableDocument("HTML nests too deeply");
    if (name === "iframe" && this.#skipping === 0) this.#readFrame(attributes);
    if (effect === "skip") this.#skipping++;
    if (this.#skipping > 0) return;
    if (this.#formula.open(name, attributes)) return;
    this.#openShown(name, attributes);
    this.#enter(open);
  }

  #openShown(name: string, attributes: Attributes): void {
    if (BLOCKS.has(name)) this.#openBlock(name, attributes);
    else if (name === "br") this.#text.add("\n");
    else if (name === "img") this.#text.add(alternativeOf(attributes));
    const label = this.#tabs.open(attributes);
    if (label === undefined) return;
    this.#flush();
    this.#write(label);
  }

  onclosetag(): void {
    const open = this.#open.pop();
    if (open === undefined) return;
    const { name } = open;
    this.facts.close(name);
    if (open.effect === "skip") this.#skipping--;
    if (open.effect === "skip" || this.#skipping > 0) return;
    const formula = this.#formula.close();
    if (formula !== null) return this.ontext(formula);
    if (INLINE_EFFECTS.has(open.effect)) this.#closeInline(open);
    else if (open.effect === "button") this.#closeButton(open);
    if (isTab(name, open.attributes))
      this.#text.add(this.#tabs.end(this.#text.takeFrom(open.textStart)));
    if (BLOCKS.has(name)) this.#closeBlock(open);
    this.#depths.count(open, -1);
    if (open.mountedAt !== null)
      this.parts.closeMount(open.mountedAt, isMain(name, open.attributes));
    this.parts.close(name, open.isPart);
  }

  ontext(data: string): void {
    if (this.facts.take(data) || this.#skipping > 0 || this.#formula.take(data)) return;
    const text = this.#preformatted > 0 ? data : data.replace(/\s+/g, " ");
    this.#text.add(text);
    this.parts.add(text, this.#depths, this.#heading);
    if (this.#text.length >= LONG_TEXT) this.#flush();
  }

  finish(): void {
    this.#flush();
    this.#tables.closeAll();
  }

  #effectOf(name: string, attributes: Attributes): Effect {
    // A browser shows a shadow root (HTML standard, §4.12.3) in its host's place.
    if (SKIPPED.has(name) && attributes["shadowrootmode"] === undefined) return "skip";
    if (this.#isHidden(attributes)) {
      if (this.#skipping === 0) this.#out.leftOut.add("hidden element");
      return "skip";
    }
    if (isBesideText(name, attributes)) return "skip";
    if (isNavigation(name, attributes) && this.#options.keepNavigation !== true) return "skip";
    const effect = effectOf(name, attributes);
    if (effect === "button" && this.#isButtonText) return "plain";
    return INLINE_EFFECTS.has(effect) && this.#depths.inline >= MAX_INLINE_DEPTH ? "plain" : effect;
  }

  #isHidden(attributes: Attributes): boolean {
    const { id = "", "aria-controls": panels = "" } = attributes;
    const opensPanels = this.#depths.headline > 0 && attributes["aria-expanded"] !== undefined;
    if (opensPanels) for (const [panel] of panels.matchAll(/\S+/g)) this.#collapsed.add(panel);
    return isHidden(attributes) && !this.#collapsed.has(id);
  }

  #enter(open: OpenElement): void {
    const { name, attributes } = open;
    open.isPart = this.parts.open(name, attributes, this.#depths);
    this.#depths.count(open, 1);
    if (isMount(name, attributes)) open.mountedAt = this.parts.total;
    const isCode = CODE_AROUND.has(name) || (name === "code" && this.#preformatted > 0);
    // Highlighters name the language on the block, on what surrounds it or on what it holds.
    if (isCode) this.#codeLanguage = codeLanguageOf(name, attributes) || this.#codeLanguage;
    open.textStart = this.#text.end;
  }

  #openBlock(name: string, attributes: Attributes): void {
    if (this.#isLine(name, attributes)) return this.#endLine();
    this.#flush();
    if (name === "pre") this.#preformatted++;
    else if (HEADING.test(name)) this.#startHeading(Number(name[1]));
    else if (!this.#items.open(name, attributes)) this.#openTablePart(name, attributes);
  }

  #readFrame(attributes: Attributes): void {
    const { srcdoc } = attributes;
    if (srcdoc === undefined || isHidden(attributes)) return;
    this.#flush();
    while (this.#tables.cell !== undefined) this.#tables.makeLayout();
    this.#options.readFrame?.(srcdoc);
  }

  #isLine(name: string, attributes: Attributes): boolean {
    return isLine(name, attributes) || (this.#preformatted > 0 && LINES.has(name));
  }

  #endLine(): void {
    if (this.#text.length > 0 && this.#text.lastCharacter !== "\n") this.#text.add("\n");
  }

  #startHeading(level: number): void {
    // A page's own title stands in no table of data.
    if (level === 1) this.#tables.makeLayout();
    this.#heading = level;
    if (level === 1 && this.#depths.main > 0) this.parts.mainHasTitle = true;
  }

  #openTablePart(name: string, attributes: Attributes): void {
    if (name === "table") this.#tables.openTable(attributes);
    else if (name === "tr") this.#tables.startRow();
    else if (CELLS.has(name)) {
      this.#items = new OpenItems(this.#items);
      this.#tables.openCell(name, attributes);
    }
  }

  #closeButton({ textStart }: OpenElement): void {
    const text = this.#text.takeFrom(textStart);
    if (!isControl(text)) this.#text.add(text);
  }

  #closeInline(open: OpenElement): void {
    const { name, effect, attributes } = open;
    const { href = "" } = attributes;
    const text = this.#text.takeFrom(open.textStart);
    const around = this.#open.at(-1);
    if (name === "a") {
      open.hasReference = href.includes("#");
      if (around !== undefined) around.hasReference ||= open.hasReference;
    }
    if (effect === "reading") {
      this.#readings += foldSpace(text);
      return;
    }
    const isNote = open.hasReference || (around?.attributes["href"] ?? "").includes("#");
    const before = this.#text.lastCharacter;
    const [readings, isInCode] = [this.#readings, this.#preformatted > 0];
    if (effect === "ruby") this.#readings = "";
    this.#text.add(inlineText(effect, text, { attributes, before, readings, isNote, isInCode }));
  }

  #closeBlock({ name, effect, attributes }: OpenElement): void {
    if (effect !== "pre" && this.#isLine(name, attributes)) {
      this.#endLine();
      return;
    }
    this.#flush();
    if (effect === "pre") {
      this.#preformatted--;
      this.#codeLanguage = "";
    } else if (CELLS.has(name)) {
      this.#tables.closeCell();
      this.#items = this.#items.around ?? this.#items;
    }
    this.#items.close(name);
    if (HEADING.test(name)) this.#heading = 0;
    else if (name === "table") this.#tables.closeTable();
  }

  /** Whether a button's text is kept, however short: when it is the first text of a headline. */
  get #isButtonText(): boolean {
    const isHeadline = this.#depths.headline > 0 && !this.#text.hasText;
    return isHeadline || this.#options.keepNavigation === true;
  }

  #flush(): void {
    const text = this.#text.take();
    this.parts.endBlock(this.#heading, this.#tables.cell !== undefined);
    if (text.trim() !== "") this.#write(text);
    this.#tables.limitCell();
  }

  #write(text: string): void {
    const out = this.#tables.target;
    if (this.#preformatted > 0) {
      out.code(text, this.#codeLanguage);
      return;
    }
    // A label above code repeats its language.
    if (this.#codeLanguage !== "" && languageOfName(text) === this.#codeLanguage) return;
    if (!FILE_NAME.test(text)) this.#codeLanguage = "";
    if (this.#heading > 0) out.heading(this.#heading, text);
    else if (this.#items.write(text, out)) return;
    else if (this.#depths.quote > 0) out.quote(text);
    else for (const part of text.split(BLANK_LINE)) out.paragraph(part);
  }
}
