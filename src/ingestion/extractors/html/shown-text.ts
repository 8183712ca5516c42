/** Beside the main text there may be half as much that is no link, and it is still beside it. */
const MOST_BESIDE = 0.5;
const LOADING_CHARACTERS = 40;
const BAR_SEPARATORS = /^[\s|·•»›>[\]–—-]*$/;
const BAR_SEPARATOR = /[|·•»›>\]]/;
const MAX_BESIDE_CHARACTERS = 600;

/** Counts what a page shows, and where: all of it in characters. */
export class ShownText {
  /** In no `main`, and in no link. */
  beside = 0;
  inMain = 0;
  outsideMain = 0;
  /** An element that scripts fill holds nothing yet. */
  hasEmptyMount = false;
  mainHasTitle = false;
  #links = 0;
  #leading = 0;
  #besideLinks = "";

  add(text: string, { main, link }: { main: number; link: number }): void {
    if (link === 0 && this.#besideLinks.length < MAX_BESIDE_CHARACTERS) this.#besideLinks += text;
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

  /** `isLeading`: to the next page, or the one before. */
  addLink(isLeading: boolean): void {
    this.#links++;
    if (isLeading) this.#leading++;
  }

  /** Scripts' own elements may say that something is being loaded, `main` says what the page does. */
  closeMount(totalBefore: number, isMain: boolean): void {
    const most = isMain ? 0 : LOADING_CHARACTERS;
    if (this.total - totalBefore <= most) this.hasEmptyMount = true;
  }

  /** Whether the text since the last block is a bar of links, as pages have at their ends. */
  endBlock(): { isBar: boolean } {
    const beside = this.#besideLinks;
    const isRow = this.#links > 1 && BAR_SEPARATORS.test(beside) && BAR_SEPARATOR.test(beside);
    const leadsOn = this.#leading > 1 && beside.length < MAX_BESIDE_CHARACTERS;
    const isLeading = this.#leading === 1 && this.#links === 1 && beside.trim() === "";
    this.#links = 0;
    this.#leading = 0;
    this.#besideLinks = "";
    return { isBar: isRow || leadsOn || isLeading };
  }

  /** Whether the page's `main` elements are its text, and what stands around them is not. */
  get isAllInMain(): boolean {
    const isBeside = this.beside <= this.inMain * MOST_BESIDE;
    return this.inMain > 0 && this.outsideMain > 0 && isBeside;
  }
}
