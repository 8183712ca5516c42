import type { Attributes } from "./html-roles.ts";
import { pathToMain, sumProse } from "./path-to-main.ts";
import {
  CELLS,
  isBox,
  hasOwnText,
  isFact,
  isForm,
  isLead,
  isLinkAlone,
  isLinks,
  isListOfLinks,
  isShort,
  isText,
  MIN_LINKS,
  MIN_PROSE,
  newBlock,
  SUMS,
  type Block,
} from "./text-block.ts";

/** Pages of more blocks are read whole: blocks take about 700 bytes each. */
const MAX_BLOCKS = 20_000;
/** Text outside links in one run is prose from so many characters. */
const PROSE_CHARACTERS = 80;
/** A page without code and tables that says nothing about itself needs so much in its main text. */
const MIN_PLAIN_PROSE = 600;
/** Least share of prose in the text outside links of a plain page's main text. */
const PLAIN_SHARE = 0.5;
/** Most text in cells and code of a plain page, as a share of its prose. */
const PLAIN_CELLS = 0.1;
const SHORT_TEXT_WEIGHT = 0.5;
/** Scripts whose characters are syllables or words. */
const DENSE = /[\u3040-\u9fff\uac00-\ud7af]/;

const HOST = /^(?:https?:)?\/\/[^/?#]{1,253}/i;
const LOWER_HEADING = /^h[2-6]$/;

/** A page that says so, one of prose without code and tables, and documentation, lists, products. */
type PageKind = "article" | "plain" | "other";

/**
 * Tells a page's main text from what is around it, by the mass of text outside links in its blocks
 * and by their names. Where the main text is not certain, everything stays.
 * Sources of the ideas: C. Kohlschütter, P. Fankhauser, W. Nejdl, "Boilerplate Detection using
 * Shallow Text Features" (WSDM 2010): length and share of links; J. Pomikálek, "Removing Boilerplate
 * and Duplicate Content from Web Corpora" (2011): short blocks are as the long ones around them.
 */
export class MainText {
  /** Characters outside links that are left out. */
  leftCharacters = 0;
  readonly #root = newBlock(0, "html", {}, null);
  #current = this.#root;
  #blocks = 0;
  #linked = 0;
  #unlinked = 0;
  #prose = 0;
  #host = "";
  #titles = 0;
  #kind: PageKind = "other";
  /** Below the block that is judged. */
  #below: "end" | "text" | "box" | "heading" = "end";
  #levelBelow = 0;
  #left: number[] = [];

  /** `at`: the number of the element in the page. */
  open(at: number, name: string, attributes: Attributes): void {
    this.#endRun();
    const block = newBlock(at, name, attributes, this.#current);
    // Boxes below the text may have headings of the first level, too.
    if (name === "h1") block.hasTitle = this.#titles++ === 0 || this.#prose < MIN_PROSE;
    if (++this.#blocks < MAX_BLOCKS) this.#current.children.push(block);
    else this.#root.children.length = 0;
    this.#current = block;
  }

  openLink(address: string): void {
    const [host = ""] = HOST.exec(address) ?? [];
    this.#current.links++;
    if (host !== this.#host) this.#current.hosts++;
    this.#host = host;
  }

  add(text: string, isLinked: boolean): void {
    const trimmed = text.trim();
    const length = DENSE.test(trimmed) ? trimmed.length * 2 : trimmed.length;
    if (length > 0) this.#current.isLabel = /[:\uff1a]$/.test(trimmed);
    if (isLinked) {
      this.#linked += length;
      return;
    }
    this.#unlinked += length;
    this.#current.hasFigures ||= /\d/.test(trimmed);
  }

  close(): void {
    this.#endRun();
    const block = this.#current;
    const { parent } = block;
    if (parent === null) return;
    if (block.name === "form") block.fields = block.linked + block.unlinked;
    for (const sum of SUMS) parent[sum] += block[sum];
    block.hasMain ||= block.isMain && block.allProse >= MIN_PROSE;
    parent.hasTitle ||= block.hasTitle;
    parent.hasMain ||= block.hasMain;
    parent.hasFigures ||= block.hasFigures;
    this.#current = parent;
  }

  /** The numbers of the elements that are around the main text. */
  leave(isArticle: boolean): number[] {
    const root = this.#root;
    sumProse(root, root.allProse);
    if (this.#blocks >= MAX_BLOCKS || root.prose < MIN_PROSE) return [];
    const path = pathToMain(root);
    const main = path.at(-1) ?? root;
    this.#kind = isArticle ? "article" : isPlain(root, main) ? "plain" : "other";
    for (const block of path.slice(1)) this.#judgeSiblings(block);
    [this.#below, this.#levelBelow] = ["end", 0];
    this.#judgeDescendants(main, main);
    root.children.length = 0;
    return this.#left;
  }

  #endRun(): void {
    const [linked, unlinked, block] = [this.#linked, this.#unlinked, this.#current];
    this.#linked = 0;
    this.#unlinked = 0;
    block.linked += linked;
    block.unlinked += unlinked;
    const prose = unlinked >= PROSE_CHARACTERS && unlinked > linked ? unlinked : 0;
    block.prose += prose;
    block.allProse += prose;
    this.#prose += prose;
    if (CELLS.has(block.name)) block.cells += unlinked;
    if (prose > 0 || CELLS.has(block.name)) block.mass += unlinked;
    else if (unlinked > linked) block.mass += unlinked * SHORT_TEXT_WEIGHT;
  }

  #judgeSiblings(main: Block): void {
    const blocks = main.parent?.children ?? [];
    const place = blocks.indexOf(main);
    for (const [at, block] of blocks.entries()) if (at !== place) this.#judge(block, at > place);
  }

  /** A block beside the main text. A title stays, wherever it stands. */
  #judge(block: Block, isAfter: boolean): void {
    [this.#below, this.#levelBelow] = [isAfter ? "end" : "text", 0];
    if (block.hasTitle && block.around === null) {
      for (const child of block.children)
        if (this.#kind !== "other" || child.around !== null) this.#judge(child, isAfter);
    } else if (LOWER_HEADING.test(block.name) && !isAfter) return;
    else if (this.#isKept(block, isAfter)) this.#judgeDescendants(block, block);
    else this.#leaveOut(block);
  }

  #isKept(block: Block, isAfter: boolean): boolean {
    const { around, prose, linked, unlinked } = block;
    if (this.#isThread(block) || (!isAfter && isLead(block))) return true;
    if (this.#kind === "other") return (around !== "certain" || isText(block)) && !isLinks(block);
    if (isBox(block)) return false;
    if (isFact(block)) return true;
    if (this.#kind === "plain") return (isAfter ? prose : unlinked) > linked;
    return !isAfter && prose > linked;
  }

  /** Answers are the text of a page that is no article. */
  #isThread({ isComments, allProse, linked }: Block): boolean {
    return this.#kind !== "article" && isComments && allProse > linked;
  }

  #judgeDescendants(block: Block, main: Block): void {
    // Text between the children may stand below each of them.
    if (block.name === "figure" || hasOwnText(block)) this.#below = "text";
    for (const child of block.children.toReversed()) {
      if (this.#needsRemoval(child, main)) {
        this.#leaveOut(child);
        if (this.#below !== "text") this.#below = "box";
      } else if (LOWER_HEADING.test(child.name) || this.#isLabel(child)) this.#judgeHeading(child);
      else this.#judgeDescendants(child, main);
    }
  }

  /** A heading without figures goes with all that it stands above, unless that has a section. */
  #judgeHeading(heading: Block): void {
    const level = LOWER_HEADING.test(heading.name) ? Number(heading.name[1]) : Infinity;
    const isAlone =
      (this.#below === "box" && this.#kind !== "other" && this.#levelBelow <= level) ||
      (this.#below === "end" && this.#kind === "article" && isShort(heading));
    if (isAlone && !heading.hasFigures) this.#leaveOut(heading);
    else [this.#below, this.#levelBelow] = ["heading", level];
  }

  #isLabel({ isLabel, linked, prose, children }: Block): boolean {
    return this.#kind === "article" && isLabel && linked + prose + children.length === 0;
  }

  #needsRemoval(block: Block, main: Block): boolean {
    const { around, prose } = block;
    const isSmall = around !== null && prose < main.prose / 2;
    if (this.#kind === "other") return isSmall && isLinks(block);
    if (this.#isThread(block)) return false;
    if (isForm(block) && prose < main.prose / 2) return true;
    if ((isSmall || around === "certain") && !isText(block)) return true;
    return this.#kind === "article" && (isLinkAlone(block) || isListOfLinks(block));
  }

  #leaveOut(block: Block): void {
    this.#left.push(block.at);
    this.leftCharacters += block.unlinked;
  }
}

/** A document without links to other pages around its text is no page of a site. */
const isPlain = (page: Block, { links, prose, unlinked }: Block) =>
  page.code === 0 &&
  page.links - links >= MIN_LINKS &&
  page.cells < page.prose * PLAIN_CELLS &&
  prose > Math.max(MIN_PLAIN_PROSE, unlinked * PLAIN_SHARE);
