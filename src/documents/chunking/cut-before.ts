const words = new Intl.Segmenter("und", { granularity: "word" });
const SEGMENTED_CHARACTERS = 120;

/** The last white space before `latest`, else a word boundary, else a whole character. */
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
