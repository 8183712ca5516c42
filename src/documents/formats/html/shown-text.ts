import { isSentence, type BlockKind } from "./leading-parts.ts";

/** Limit of the text outside links beside `main`, as a share of the text in `main`. */
const MAX_BESIDE = 0.5;
const LOADING_CHARACTERS = 40;
const MAX_BLOCK_CHARACTERS = 600;
/** Shorter lines outside links may be labels of links. */
const LABEL_CHARACTERS = 20;

/** Where text stands: the number of open elements of each kind around it. */
type Depths = { main: number; link: number };

export class ShownText {
  beside = 0;
  inMain = 0;
  outsideMain = 0;
  hasEmptyMount = false;
  mainHasTitle = false;
  hasText = false;
  #besideLinks = "";
  #inLinks = "";

  add(text: string, { main, link }: Depths): void {
    if (link > 0) {
      if (this.#inLinks.length < MAX_BLOCK_CHARACTERS) this.#inLinks += text;
    } else if (this.#besideLinks.length < MAX_BLOCK_CHARACTERS) this.#besideLinks += text;
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

  /** Scripts' own elements may say that something is being loaded, `main` says what the page does. */
  closeMount(totalBefore: number, isMain: boolean): void {
    const most = isMain ? 0 : LOADING_CHARACTERS;
    if (this.total - totalBefore <= most) this.hasEmptyMount = true;
  }

  endBlock(heading: number, isCell: boolean): BlockKind {
    const [beside, linked] = [this.#besideLinks, this.#inLinks];
    const sentence = isSentence(beside);
    const isOwnText = heading === 0 && beside.length > linked.length && isOwn(beside, isCell);
    this.hasText ||= sentence || (heading > 0 && (beside + linked).trim() !== "");
    this.#besideLinks = "";
    this.#inLinks = "";
    return { isSentence: sentence, isOwnText };
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
