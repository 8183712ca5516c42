import { foldSpace } from "../../writing/fold-space.ts";
import { isSentence, type BlockKind } from "./leading-parts.ts";

/** Limit of the text outside links beside `main`, as a share of the text in `main`. */
const MAX_BESIDE = 0.5;
const LOADING_CHARACTERS = 40;
const BAR_SEPARATORS = /^[\s|·•»›>[\]–—-]*$/;
const BAR_SEPARATOR = /[|·•»›>\]]/;
const MAX_BLOCK_CHARACTERS = 600;
const MAX_BARS = 100;
/** Shorter lines outside links may be labels of links. */
const LABEL_CHARACTERS = 20;

/** Where text stands: the number of open elements of each kind around it. */
type Depths = { main: number; content: number; link: number };

export class ShownText {
  /** Outside `main` and outside links. */
  beside = 0;
  inMain = 0;
  outsideMain = 0;
  hasEmptyMount = false;
  mainHasTitle = false;
  hasText = false;
  /** Link bars that occur more than once on the page. */
  readonly repeatedBars = new Set<string>();
  readonly #bars = new Set<string>();
  #links = 0;
  #leading = 0;
  #isInContent = false;
  #besideLinks = "";
  #inLinks = "";

  add(text: string, { main, content, link }: Depths): void {
    if (link > 0) {
      if (this.#inLinks.length < MAX_BLOCK_CHARACTERS) this.#inLinks += `${text}|`;
    } else if (this.#besideLinks.length < MAX_BLOCK_CHARACTERS) this.#besideLinks += text;
    this.#isInContent = content > 0;
    const { length } = text.trim();
    if (main > 0) this.inMain += length;
    else {
      this.outsideMain += length;
      if (link === 0) this.beside += length;
    }
  }

  get total(): number {
    return this.inMain + this.outsideMain;
  }

  /** `isLeading`: whether the link leads to the next or previous page. */
  addLink(isLeading: boolean): void {
    this.#links++;
    if (isLeading) this.#leading++;
  }

  /** Scripts' own elements may say that something is being loaded, `main` says what the page does. */
  closeMount(totalBefore: number, isMain: boolean): void {
    const most = isMain ? 0 : LOADING_CHARACTERS;
    if (this.total - totalBefore <= most) this.hasEmptyMount = true;
  }

  /**
   * Ends the text since the last block. A link bar is navigation if it stands before the page's
   * text or is one of `repeated`; links to the next and previous page are navigation anywhere.
   */
  endBlock(
    { heading, isCell }: { heading: number; isCell: boolean },
    repeated?: ReadonlySet<string>,
  ): BlockKind & { isBar: boolean } {
    const [beside, linked] = [this.#besideLinks, this.#inLinks];
    const sentence = isSentence(beside);
    const isOwnText = heading === 0 && beside.length > linked.length && isOwn(beside, isCell);
    const isBar = this.#leadsOn || this.#isRowAround(repeated);
    this.hasText ||= sentence || (heading > 0 && (beside + linked).trim() !== "");
    this.#links = 0;
    this.#leading = 0;
    this.#besideLinks = "";
    this.#inLinks = "";
    return { isBar, isSentence: sentence, isOwnText };
  }

  get #leadsOn(): boolean {
    const { length } = this.#besideLinks;
    if (this.#leading > 1) return length < MAX_BLOCK_CHARACTERS;
    return this.#leading === 1 && this.#links === 1 && this.#besideLinks.trim() === "";
  }

  #isRowAround(repeated?: ReadonlySet<string>): boolean {
    const beside = this.#besideLinks;
    const isRow = this.#links > 1 && BAR_SEPARATORS.test(beside) && BAR_SEPARATOR.test(beside);
    if (!isRow || this.#isInContent) return false;
    return this.#isRepeated(this.#inLinks, repeated) || !this.hasText;
  }

  #isRepeated(linked: string, repeated?: ReadonlySet<string>): boolean {
    const bar = foldSpace(linked);
    if (this.#bars.has(bar)) this.repeatedBars.add(bar);
    else if (this.#bars.size < MAX_BARS) this.#bars.add(bar);
    return repeated?.has(bar) ?? false;
  }

  /** Whether the `main` elements hold the page's text and what is around them is not text. */
  get isAllInMain(): boolean {
    const isBeside = this.beside <= this.inMain * MAX_BESIDE;
    return this.inMain > 0 && this.outsideMain > 0 && isBeside;
  }
}

function isOwn(beside: string, isCell: boolean): boolean {
  const plain = beside.trim();
  return plain.length > (isCell ? 0 : LABEL_CHARACTERS) || /\d{3}/.test(plain);
}
