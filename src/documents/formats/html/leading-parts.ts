import { BLOCKS, isMain, partOf, type Attributes, type Part } from "./html-roles.ts";
import { MainText } from "./main-text.ts";

/** Limit of the text outside links beside `main`, as a share of the text in `main`. */
const MAX_BESIDE = 0.5;
const LOADING_CHARACTERS = 40;
const MAX_BLOCK_CHARACTERS = 600;
/** Shorter lines outside links may be labels of links. */
const LABEL_CHARACTERS = 20;
const SENTENCE_CHARACTERS = 25;
const SENTENCE_END = /[.!?…]["'”’»)\]]*$|[。！？]/u;
/** Text with so many characters is a paragraph, whatever its end. */
const PASSAGE_CHARACTERS = 120;
const LOADING = /javascript|loading|please wait|\.\.\.$|…$/i;

/** How much text a navigation part may have outside its links: a title, a version, labels. */
const MAX_SHORT_CHARACTERS = 400;
const MAX_BANNER_CHARACTERS = 1_500;
const MAX_IMPRINT_CHARACTERS = 300;
const MAX_LABEL_CHARACTERS = 12;
const LINKED_INSIDE = 4;
const BANNER = /cookie|consent/i;
const IMPRINT =
  /©|\(c\)|copyright|rights reserved|(created|built|generated|produced|made|powered|published) (by|with|using|on)|debug info|last (updated?|modified|change)/i;
const DATES =
  /\b(19|20)\d\d\b|\b\d{1,2}[./:-]\d{1,2}([./:-]\d{1,4})*\b|\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}\b/g;

/** Whether a block's text outside of its links is a sentence, or as long as several. */
function isSentence(plain: string): boolean {
  if (plain.length >= PASSAGE_CHARACTERS) return true;
  const least = /[\u3040-\u9fff]/.test(plain) ? 8 : SENTENCE_CHARACTERS;
  return plain.length >= least && SENTENCE_END.test(plain) && !LOADING.test(plain);
}

/** The number of open elements of each kind around a text. */
type Depths = { main: number; link: number };

/** `left`: characters outside links that would be left out beside a `main` inside. */
const NOTHING_YET = { linked: 0, unlinked: 0, title: 0, left: 0, sample: "" };
/** A part that has `main` cannot be left out. */
const NO_SIGNS = { hasSentence: false, hasOwnText: false, hasMain: false };

type Open = typeof NOTHING_YET &
  typeof NO_SIGNS & {
    at: number;
    part: Part;
    name: string;
    /** Whether it stands inside the document's text, where a list of dishes may have links, too. */
    isInside: boolean;
    isConcealed: boolean;
  };

const SUMS = ["linked", "unlinked", "title", "left"] as const;
const SIGNS = ["hasSentence", "hasOwnText", "hasMain"] as const;

/** Decides, when an element ends, whether it is site navigation; they are known by place. */
export class LeadingParts {
  readonly mainText = new MainText();
  readonly #open: Open[] = [];
  readonly #named: number[] = [];
  readonly #beside: number[] = [];
  readonly #titles: number[] = [];
  /** Characters outside links, beside `main`, that would be left out. */
  leftBeside = 0;
  hasEmptyMount = false;
  mainHasTitle = false;
  hasText = false;
  #inMain = 0;
  #outsideMain = 0;
  #unlinkedOutside = 0;
  /** The text of the open block. */
  #besideLinks = "";
  #inLinks = "";
  readonly #left: readonly number[];
  #opened = 0;
  #passed = 0;

  /** `left`: indexes of the elements to leave out, in order. */
  constructor(starts: readonly number[] = []) {
    this.#left = starts;
  }

  /** Called for each element that opens, in order: whether it is to be left out. */
  isNextLeft(): boolean {
    this.#opened++;
    while ((this.#left[this.#passed] ?? Infinity) < this.#opened) this.#passed++;
    return this.#left[this.#passed] === this.#opened;
  }

  /** Whether the last element may be navigation: then it is closed here as well. */
  open(name: string, attributes: Attributes, depths: { content: number; own: number }): boolean {
    const { href = "" } = attributes;
    if (BLOCKS.has(name)) this.mainText.open(this.#opened, name, attributes);
    else if (name === "a" && /^[^#]/.test(href)) this.mainText.openLink(href);
    const part = partOf(name, attributes, depths);
    if (part !== null) {
      const isInside = depths.content > 0;
      const isConcealed = attributes["aria-hidden"] === "true";
      const element = { at: this.#opened, part, name, isConcealed, isInside };
      this.#open.push({ ...NOTHING_YET, ...NO_SIGNS, ...element });
    }
    const around = this.#open.at(-1);
    if (around !== undefined && isMain(name, attributes)) around.hasMain = true;
    return part !== null;
  }

  add(text: string, { main, link }: Depths, heading: number): void {
    const isLinked = link > 0;
    this.mainText.add(text, isLinked);
    if (isLinked) {
      if (this.#inLinks.length < MAX_BLOCK_CHARACTERS) this.#inLinks += text;
    } else if (this.#besideLinks.length < MAX_BLOCK_CHARACTERS) this.#besideLinks += text;
    const { length } = text.trim();
    if (main > 0) this.#inMain += length;
    else this.#outsideMain += length;
    if (main + link === 0) this.#unlinkedOutside += length;
    const open = this.#open.at(-1);
    if (open === undefined) return;
    if (isLinked) open.linked += length;
    else {
      open.unlinked += length;
      if (heading === 1) open.title += length;
      if (open.sample.length < MAX_IMPRINT_CHARACTERS)
        open.sample += text.slice(0, MAX_IMPRINT_CHARACTERS);
    }
  }

  endBlock(heading: number, isCell: boolean): void {
    const [beside, linked] = [this.#besideLinks, this.#inLinks];
    const plain = beside.trim();
    const hasSentence = isSentence(plain);
    this.hasText ||= hasSentence || (heading > 0 && (plain + linked).trim() !== "");
    this.#besideLinks = "";
    this.#inLinks = "";
    const open = this.#open.at(-1);
    if (open === undefined) return;
    open.hasSentence ||= hasSentence;
    open.hasOwnText ||= heading === 0 && beside.length > linked.length && isOwnText(plain, isCell);
  }

  get total(): number {
    return this.#inMain + this.#outsideMain;
  }

  /** Scripts' own elements may say that something is being loaded, `main` says what the page does. */
  closeMount(totalBefore: number, isMainElement: boolean): void {
    const most = isMainElement ? 0 : LOADING_CHARACTERS;
    if (this.total - totalBefore <= most) this.hasEmptyMount = true;
  }

  /** Whether the `main` elements hold the page's text and what is around them is not text. */
  get isAllInMain(): boolean {
    const isBeside = this.#unlinkedOutside <= this.#inMain * MAX_BESIDE;
    return this.#inMain > 0 && this.#outsideMain > 0 && isBeside;
  }

  close(name: string, isPart: boolean): void {
    if (BLOCKS.has(name)) this.mainText.close();
    const part = isPart ? this.#open.pop() : undefined;
    if (part === undefined) return;
    this.#decide(part);
    const around = this.#open.at(-1);
    if (around === undefined) {
      this.leftBeside += part.left;
      return;
    }
    for (const sum of SUMS) around[sum] += part[sum];
    for (const sign of SIGNS) around[sign] ||= part[sign];
    if (around.sample.length < MAX_IMPRINT_CHARACTERS) around.sample += ` ${part.sample}`;
  }

  leave(): number[] {
    if (!this.isAllInMain) return this.#named;
    return [...this.#named, ...this.#beside, ...(this.mainHasTitle ? this.#titles : [])];
  }

  #decide(element: Open): void {
    const { at, part, title, unlinked, linked, hasMain, hasSentence } = element;
    if (hasMain || linked + unlinked === 0) return;
    if (part !== "beside") {
      if (title === 0 && isNavigation(element)) this.#named.push(at);
    } else if (title > 0) {
      if (unlinked - title <= MAX_LABEL_CHARACTERS && !hasSentence) this.#titles.push(at);
    } else if (isAside(element) || isMostlyLinks(element)) {
      this.#beside.push(at);
      element.left = unlinked;
    }
  }
}

/** An `aside` next to `main` is left out, unless it has a telephone number or the like. */
const isAside = ({ name, sample }: Open) => name === "aside" && !hasFigures(sample);

const isMostlyLinks = ({ name, linked, unlinked, sample, hasSentence, hasOwnText }: Open) =>
  !hasSentence &&
  !hasOwnText &&
  linked > unlinked &&
  (name !== "p" || !/[\p{L}\p{N}]/u.test(sample));

const isOwnText = (plain: string, isCell: boolean) =>
  plain.length > (isCell ? 0 : LABEL_CHARACTERS) || /\d{3}/.test(plain);

function isNavigation(element: Open): boolean {
  const { part, linked, unlinked, hasSentence, isInside, isConcealed, sample } = element;
  if (linked > unlinked * (isInside ? LINKED_INSIDE : 1)) return true;
  if (part !== "dialog" && unlinked < MAX_IMPRINT_CHARACTERS && isImprint(sample)) return true;
  if (part === "short") return unlinked <= MAX_SHORT_CHARACTERS && !hasSentence;
  if (part === "banner") return unlinked <= MAX_BANNER_CHARACTERS;
  if (part !== "dialog") return false;
  return isConcealed || (unlinked <= MAX_BANNER_CHARACTERS && BANNER.test(sample));
}

/** An imprint: who made the page, when and with what; no address, number or other fact. */
const isImprint = (text: string) => IMPRINT.test(text) && !hasFigures(text);

const hasFigures = (text: string) => /\d{3}/.test(text.replace(DATES, ""));
