import { aroundNames, type Around } from "./around-names.ts";
import type { Attributes } from "./html-roles.ts";

/** Pages of more blocks are read whole: blocks take about 700 bytes each. */
const MAX_BLOCKS = 20_000;
const MAX_KIND_CHARACTERS = 200;
/** Text outside links in one run is prose from so many characters. */
const PROSE_CHARACTERS = 80;
/** A page with less prose has no main text that could be told from what is around it. */
const MIN_PROSE = 250;
/** A page without code and tables that says nothing about itself needs so much in its main text. */
const MIN_PLAIN_PROSE = 600;
/** Least share of prose in the text outside links of a plain page's main text. */
const PLAIN_SHARE = 0.5;
/** Most text in cells and code of a plain page, as a share of its prose. */
const PLAIN_CELLS = 0.1;
/** Least share of a page's text that the block with the main text holds. */
const MAIN_SHARE = 0.7;
/** Blocks of the same kind beside it are text like it: chapters, posts of a thread. */
const PEER_SHARE = 0.15;
const SHORT_TEXT_WEIGHT = 0.5;
const MIN_LINKS = 3;
/** Text beside the main text without any link: hours, prices, ingredients. */
const MIN_UNLINKED = 40;
/** Paragraphs beside the main text with few words in links are text, too. */
const PROSE_TO_LINKED = 10;
/** Scripts whose characters are syllables or words. */
const DENSE = /[\u3040-\u9fff\uac00-\ud7af]/;

const CELLS = new Set(["pre", "td", "th", "dd", "dt"]);
const FIGURES = new Set(["table", "dl", "pre"]);
const TEXT_BLOCKS = new Set("p ul ol li dl dd dt blockquote pre figure".split(" "));
const LISTS_OF_LINKS = new Set(["div", "section", "p", "form"]);
const LOWER_HEADING = /^h[2-6]$/;

/** `cells`: text in tables, lists of terms and code. `mass`: text outside links, weighted. */
const NOTHING = { linked: 0, unlinked: 0, links: 0, cells: 0, code: 0, allProse: 0 };
const SUMS = ["linked", "unlinked", "links", "cells", "code", "allProse"] as const;

type Block = typeof NOTHING & {
  at: number;
  name: string;
  /** Element and class: alike for blocks of one kind. */
  kind: string;
  parent: Block | null;
  children: Block[];
  around: Around | null;
  isComments: boolean;
  hasMain: boolean;
  hasTitle: boolean;
  /** Without blocks that are around the text. */
  prose: number;
  mass: number;
};

/** A page that says so, one of prose without code and tables, and documentation, lists, products. */
type PageKind = "article" | "plain" | "other";

const newBlock = (
  at: number,
  name: string,
  attributes: Attributes,
  parent: Block | null,
): Block => ({
  ...NOTHING,
  ...aroundNames(name, attributes),
  at,
  name,
  kind: `${name} ${(attributes["class"] ?? "").slice(0, MAX_KIND_CHARACTERS).replace(/\d+/g, "")}`,
  parent,
  children: [],
  hasMain: name === "main" || name === "article" || attributes["role"] === "main",
  hasTitle: name === "h1",
  code: name === "pre" ? 1 : 0,
  prose: 0,
  mass: 0,
});

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
  #kind: PageKind = "other";
  #left: number[] = [];

  /** `at`: the number of the element in the page. */
  open(at: number, name: string, attributes: Attributes): void {
    this.#endRun();
    const block = newBlock(at, name, attributes, this.#current);
    if (++this.#blocks < MAX_BLOCKS) this.#current.children.push(block);
    else this.#root.children.length = 0;
    this.#current = block;
  }

  openLink(): void {
    this.#current.links++;
  }

  add(text: string, isLinked: boolean): void {
    const trimmed = text.trim();
    const length = DENSE.test(trimmed) ? trimmed.length * 2 : trimmed.length;
    if (isLinked) this.#linked += length;
    else this.#unlinked += length;
  }

  close(): void {
    this.#endRun();
    const block = this.#current;
    const { parent } = block;
    if (parent === null) return;
    for (const sum of SUMS) parent[sum] += block[sum];
    parent.hasTitle ||= block.hasTitle;
    parent.hasMain ||= block.hasMain;
    this.#current = parent;
  }

  /** The numbers of the elements that are around the main text. */
  leave(isArticle: boolean): number[] {
    const root = this.#root;
    weigh(root, root.allProse);
    if (this.#blocks >= MAX_BLOCKS || root.prose < MIN_PROSE) return [];
    const path = pathToMain(root);
    const main = path.at(-1) ?? root;
    this.#kind = isArticle ? "article" : isPlain(root, main) ? "plain" : "other";
    for (const block of path.slice(1)) this.#leaveBeside(block);
    this.#leaveWithin(main, main);
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
    if (CELLS.has(block.name)) block.cells += unlinked;
    if (prose > 0 || CELLS.has(block.name)) block.mass += unlinked;
    else if (unlinked > linked) block.mass += unlinked * SHORT_TEXT_WEIGHT;
  }

  #leaveBeside(main: Block): void {
    const blocks = main.parent?.children ?? [];
    const place = blocks.indexOf(main);
    for (const [at, block] of blocks.entries()) if (at !== place) this.#judge(block, at > place);
  }

  /** A block beside the main text. A title stays, wherever it stands. */
  #judge(block: Block, isAfter: boolean): void {
    if (block.hasTitle && block.around === null) {
      for (const child of block.children)
        if (this.#kind === "article" || child.around !== null) this.#judge(child, isAfter);
    } else if (LOWER_HEADING.test(block.name) && !isAfter) return;
    else if (this.#stays(block, isAfter)) this.#leaveWithin(block, block);
    else this.#leave(block);
  }

  #stays(block: Block, isAfter: boolean): boolean {
    const { around, prose, linked, unlinked } = block;
    if (this.#isThread(block) || (!isAfter && isLead(block))) return true;
    if (this.#kind === "other") return around !== "certain" && !isLinks(block);
    if (around !== null) return false;
    if (isFigure(block) || leadsNowhere(block)) return true;
    if (this.#kind === "plain") return (isAfter ? prose : unlinked) > linked;
    return !isAfter && prose > linked;
  }

  /** Answers are the text of a page that is no article. */
  #isThread({ isComments, allProse, linked }: Block): boolean {
    return this.#kind !== "article" && isComments && allProse > linked;
  }

  #leaveWithin(block: Block, main: Block): void {
    let [hasLeft, hasText] = [false, false];
    for (const child of block.children.toReversed()) {
      if (LOWER_HEADING.test(child.name) && !this.#isLeft(child, main)) {
        // A heading goes with all that it stands above.
        if (hasLeft && !hasText && this.#kind !== "other") this.#leave(child);
        [hasLeft, hasText] = [false, false];
      } else if (this.#isLeft(child, main)) {
        this.#leave(child);
        hasLeft = true;
      } else {
        this.#leaveWithin(child, main);
        hasText ||= child.linked + child.unlinked > 0;
      }
    }
  }

  #isLeft(block: Block, main: Block): boolean {
    const { around, prose } = block;
    const isSmall = around !== null && prose < main.prose / 2;
    if (this.#kind === "other") return isSmall && isLinks(block);
    if (this.#isThread(block)) return false;
    if ((isSmall || around === "certain") && !isText(block)) return true;
    return this.#kind === "article" && (isLinkAlone(block) || isListOfLinks(block));
  }

  #leave(block: Block): void {
    this.#left.push(block.at);
    this.leftCharacters += block.unlinked;
  }
}

/**
 * Sums the prose of blocks that are not around the text. Such a block has no title or most prose, and
 * is of another kind than one that has.
 */
function weigh(block: Block, total: number): void {
  for (const child of block.children) weigh(child, total);
  const most = block.children.find((child) => holdsMost(child, total));
  for (const child of block.children) {
    if (child.hasTitle || child.kind === most?.kind) child.around = null;
    if (child.around !== null) continue;
    block.prose += child.prose;
    block.mass += child.mass;
  }
}

const holdsMost = ({ around, isComments, hasMain, allProse }: Block, total: number) =>
  around !== null && !isComments && (allProse > total / 2 || (around === "likely" && hasMain));

/** The blocks from the page to the innermost that holds most of its text. */
function pathToMain(root: Block): Block[] {
  const path = [root];
  for (let block = root; ;) {
    const next = block.children.find((child) => canHoldMain(child, root.mass));
    if (next === undefined || hasPeers(block, next)) return path;
    path.push((block = next));
  }
}

const canHoldMain = ({ name, around, mass }: Block, total: number) =>
  around === null && !TEXT_BLOCKS.has(name) && mass >= total * MAIN_SHARE;

function hasPeers({ children }: Block, next: Block): boolean {
  let prose = 0;
  for (const child of children) {
    const isPeer = child !== next && child.around === null && child.kind === next.kind;
    if (isPeer && child.prose > child.linked) prose += child.prose;
  }
  return prose > next.prose * PEER_SHARE;
}

/** A document without links to other pages around its text is no page of a site. */
const isPlain = (page: Block, { links, prose, unlinked }: Block) =>
  page.code === 0 &&
  page.links - links >= MIN_LINKS &&
  page.cells < page.prose * PLAIN_CELLS &&
  prose > Math.max(MIN_PLAIN_PROSE, unlinked * PLAIN_SHARE);

const isFigure = ({ name, cells, linked }: Block) => FIGURES.has(name) && cells > linked;

/** A first paragraph that is named as a teaser. */
const isLead = ({ around, linked, prose }: Block) =>
  around !== "certain" && linked === 0 && prose > 0;

/** Prose without any link is no box, whatever its name, but comments. */
const isText = ({ around, isComments, links, allProse }: Block) =>
  links === 0 && allProse > 0 && !(isComments && around === "certain");

const isListOfLinks = (block: Block) => LISTS_OF_LINKS.has(block.name) && isLinks(block);

const leadsNowhere = ({ links, linked, unlinked, prose }: Block) =>
  links + linked === 0
    ? unlinked >= MIN_UNLINKED
    : prose >= Math.max(MIN_PROSE, linked * PROSE_TO_LINKED);

/** Code and terms are text, also where each word leads to its own page. */
const isLinks = ({ name, links, linked, unlinked, prose, code }: Block) =>
  links >= MIN_LINKS && linked > unlinked && prose === 0 && code === 0 && name !== "dl";

/** A paragraph that only leads to another page. */
const isLinkAlone = ({ name, children, links, linked, unlinked }: Block) =>
  name === "p" && children.length === 0 && links > 0 && linked > unlinked * 2;
