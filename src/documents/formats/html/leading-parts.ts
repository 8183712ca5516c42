import { isMain, partOf } from "./html-roles.ts";
import type { Attributes, Part } from "./html-roles.ts";

/** Fewer characters are no sentence, whatever their end. */
const SENTENCE_CHARACTERS = 25;
const SENTENCE_END = /[.!?…]["'”’»)\]]*$|[。！？]/u;
/** So many stand in a paragraph, whatever its end. */
const PASSAGE_CHARACTERS = 120;
const LOADING = /javascript|loading|please wait|\.\.\.$|…$/i;

/** What a part that only leads may hold besides its links: a title, a version, labels. */
const MAX_SHORT_CHARACTERS = 400;
const MAX_BANNER_CHARACTERS = 1_500;
const MAX_IMPRINT_CHARACTERS = 300;
const MAX_LABEL_CHARACTERS = 12;
/** Inside of the document's text, navigation has so many times more in links than beside them. */
const LINKED_INSIDE = 4;
const BANNER = /cookie|consent/i;
const IMPRINT =
  /©|\(c\)|copyright|rights reserved|(created|built|generated|produced|made|powered|published) (by|with|using|on)|debug info|last (updated?|modified|change)/i;
/** Dates, times, versions and revisions: other numbers are of registers, telephones and places. */
const DATES =
  /\b(19|20)\d\d\b|\b\d{1,2}[./:-]\d{1,2}([./:-]\d{1,4})*\b|\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}\b/g;

/** Whether a block's text outside of its links is a sentence, or as long as several. */
export function isSentence(text: string): boolean {
  const plain = text.trim();
  if (plain.length >= PASSAGE_CHARACTERS) return true;
  const least = /[\u3040-\u9fff]/.test(plain) ? 8 : SENTENCE_CHARACTERS;
  return plain.length >= least && SENTENCE_END.test(plain) && !LOADING.test(plain);
}

/** What a block of text is, by what of it stands in no link. */
export type BlockKind = { isSentence: boolean; isOwnText: boolean };

type Open = {
  at: number;
  part: Part;
  name: string;
  /** In what holds the document's text: a list of dishes may have links, too. */
  isInside: boolean;
  isConcealed: boolean;
  linked: number;
  unlinked: number;
  /** Outside of links, in a heading of the first level. */
  title: number;
  hasSentence: boolean;
  /** A line or a cell of a table that is no link. */
  hasOwnText: boolean;
  /** Parts around `main` are none that can be left out. */
  hasMain: boolean;
  /** The beginning of what stands in no link. */
  sample: string;
  /** Characters in no link of what is left out beside `main` inside. */
  left: number;
};

const NOTHING_YET = {
  linked: 0,
  unlinked: 0,
  title: 0,
  hasSentence: false,
  hasOwnText: false,
  hasMain: false,
  sample: "",
  left: 0,
};

/**
 * Counts what stands in elements that may lead around the site, while a page is read, and decides
 * at their ends. Elements are named by their place in the order in which they open.
 */
export class LeadingParts {
  readonly #open: Open[] = [];
  readonly #named: number[] = [];
  readonly #beside: number[] = [];
  /** They hold a title and nothing else. */
  readonly #titles: number[] = [];
  /** Characters beside `main` that stand in no link and would be left out. */
  leftBeside = 0;
  readonly #left: readonly number[];
  #opened = 0;
  /** Of those to leave out. */
  #passed = 0;

  /** `left`: of the elements of a page read before, those to leave out, in their order. */
  constructor(left: readonly number[] = []) {
    this.#left = left;
  }

  /** Tells for each element that opens, in its order, whether it is to be left out. */
  isNextLeft(): boolean {
    this.#opened++;
    while ((this.#left[this.#passed] ?? Infinity) < this.#opened) this.#passed++;
    return this.#left[this.#passed] === this.#opened;
  }

  /** Whether the element last asked for may lead around: then it has to be closed here. */
  open(name: string, attributes: Attributes, depths: { content: number; own: number }): boolean {
    const part = partOf(name, attributes, depths);
    if (part !== null) {
      const isInside = depths.content > 0;
      const isConcealed = attributes["aria-hidden"] === "true";
      this.#open.push({ ...NOTHING_YET, at: this.#opened, part, name, isConcealed, isInside });
    }
    const around = this.#open.at(-1);
    if (around !== undefined && isMain(name, attributes)) around.hasMain = true;
    return part !== null;
  }

  add(text: string, isLinked: boolean, heading: number): void {
    const open = this.#open.at(-1);
    if (open === undefined) return;
    const { length } = text.trim();
    if (isLinked) open.linked += length;
    else {
      open.unlinked += length;
      if (heading === 1) open.title += length;
      if (open.sample.length < MAX_IMPRINT_CHARACTERS)
        open.sample += text.slice(0, MAX_IMPRINT_CHARACTERS);
    }
  }

  endBlock({ isSentence: isAny, isOwnText }: BlockKind): void {
    const open = this.#open.at(-1);
    if (open === undefined) return;
    open.hasSentence ||= isAny;
    open.hasOwnText ||= isOwnText;
  }

  close(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    this.#decide(closed);
    const around = this.#open.at(-1);
    if (around === undefined) {
      this.leftBeside += closed.left;
      return;
    }
    around.linked += closed.linked;
    around.unlinked += closed.unlinked;
    around.title += closed.title;
    around.left += closed.left;
    around.hasSentence ||= closed.hasSentence;
    around.hasOwnText ||= closed.hasOwnText;
    around.hasMain ||= closed.hasMain;
    if (around.sample.length < MAX_IMPRINT_CHARACTERS) around.sample += ` ${closed.sample}`;
  }

  /** The elements to leave out, in their order. */
  leave(isAllInMain: boolean, mainHasTitle: boolean): number[] {
    const left = [...this.#named];
    if (isAllInMain) left.push(...this.#beside);
    if (isAllInMain && mainHasTitle) left.push(...this.#titles);
    return left.sort((one, other) => one - other);
  }

  #decide(closed: Open): void {
    const { at, part, title, unlinked, linked, hasMain, hasSentence, hasOwnText } = closed;
    if (hasMain || linked + unlinked === 0) return;
    if (part !== "beside") {
      if (title === 0 && leads(closed)) this.#named.push(at);
    } else if (title > 0) {
      if (unlinked - title <= MAX_LABEL_CHARACTERS && !hasSentence) this.#titles.push(at);
    } else if (!hasSentence && !hasOwnText && isMostlyLinks(closed)) {
      this.#beside.push(at);
      closed.left = unlinked;
    }
  }
}

const isMostlyLinks = ({ name, linked, unlinked, sample }: Open) =>
  linked > unlinked && (name !== "p" || !/[\p{L}\p{N}]/u.test(sample));

/** Whether a part with a name or a role of navigation is what it says. */
function leads(closed: Open): boolean {
  const { part, linked, unlinked, hasSentence, isInside, isConcealed, sample } = closed;
  if (linked > unlinked * (isInside ? LINKED_INSIDE : 1)) return true;
  if (part !== "dialog" && unlinked < MAX_IMPRINT_CHARACTERS && isImprint(sample)) return true;
  if (part === "short") return unlinked <= MAX_SHORT_CHARACTERS && !hasSentence;
  if (part === "banner") return unlinked <= MAX_BANNER_CHARACTERS;
  if (part !== "dialog") return false;
  return isConcealed || (unlinked <= MAX_BANNER_CHARACTERS && BANNER.test(sample));
}

/** Who made the page, when and with what, and no address, number or fact besides. */
const isImprint = (text: string) => IMPRINT.test(text) && !/\d{3}/.test(text.replace(DATES, ""));
