/** End of a sentence: a mark, what closes after it, then space (none needed after CJK marks). */
const SENTENCE_END = /(?:[.!?…]+["'”’»)\]]*(?=\s)|[。!?。]+[」』”’)】]*|[؟۔।॥።]+(?=\s|$)|\n)\s*/gu;
const ABBREVIATION =
  /(?:^|[\s(])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|etc|e\.g|i\.e|cf|al|No|Nr|Fig|Eq|Sec|Art|Abs|Inc|Ltd|Co|approx|bzw|z\.B|d\.h|u\.a|ca|p|pp|vol|ed)\.\s*$/u;
const ABBREVIATION_WINDOW = 12;

const words = new Intl.Segmenter("und", { granularity: "word" });
const SEGMENTED_CHARACTERS = 120;

/** Offsets at which sentences and lines end, ascending, `to` last. */
export function* sentenceEnds(text: string, from: number, to: number): Generator<number> {
  const part = text.slice(from, to);
  let last = 0;
  for (const match of part.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length;
    if (!isRealEnd(part, match.index, end)) continue;
    last = end;
    yield from + end;
  }
  if (last < part.length) yield to;
}

function isRealEnd(part: string, mark: number, end: number): boolean {
  if (part[mark] !== "." || part.slice(mark, end).includes("\n")) return true;
  if (/\p{Ll}/u.test(part[end] ?? "")) return false;
  return !ABBREVIATION.test(part.slice(Math.max(0, mark - ABBREVIATION_WINDOW), end));
}

/**
 * Where to cut a text that has no sentences: the last white space before `latest`, else the last
 * word boundary that the language has, else a whole character. Always after `from`.
 */
export function cutBefore(text: string, from: number, latest: number): number {
  if (latest >= text.length) return text.length;
  const earliest = from + Math.floor((latest - from) / 2);
  for (let at = latest; at > earliest; at--) if (/\s/.test(text[at - 1] ?? "")) return at;
  const windowStart = Math.max(from, latest - SEGMENTED_CHARACTERS);
  let cut = 0;
  for (const { index } of words.segment(text.slice(windowStart, latest + SEGMENTED_CHARACTERS))) {
    if (windowStart + index <= latest) cut = windowStart + index;
  }
  if (cut > earliest) return cut;
  const splitsPair = /[\udc00-\udfff]/.test(text[latest] ?? "");
  return splitsPair && latest - 1 > from ? latest - 1 : latest;
}
