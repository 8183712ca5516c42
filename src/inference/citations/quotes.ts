/** Words between quotation marks; shorter ones are terms rather than quotations. */
const QUOTE = /["“„«»「『]([^"“”„«»「」『』]{1,2000})["”“»«」』]/gu;
const MIN_CHARACTERS = 12;
/** Something is left out of a quotation. */
const ELLIPSIS = /\[?(?:…|\.\.\.)\]?/u;

/**
 * Checks whether what a stretch of an answer quotes stands in an item's text; letters and digits
 * count, and nothing else. True where nothing is quoted.
 */
export function quotesAreOf(items: string[]): (stretch: string, item: number) => boolean {
  const known = new Map<number, string>();
  const lettersOf = (item: number) => {
    const letters = known.get(item) ?? onlyLetters(items[item] ?? "");
    known.set(item, letters);
    return letters;
  };
  return (stretch, item) => {
    const quotes = [...stretch.matchAll(QUOTE)].flatMap(([, quote = ""]) => quote.split(ELLIPSIS));
    return quotes
      .map(onlyLetters)
      .filter((quote) => quote.length >= MIN_CHARACTERS)
      .every((quote) => lettersOf(item).includes(quote));
  };
}

const onlyLetters = (text: string) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
