/**
 * Marks after a character: V8 takes quadratic time to order them. More than 30 are in no text
 * (UAX #15, "Stream-Safe Text Format"). U+FF9E and U+FF9F become marks in NFKC and NFKD.
 */
const MOST_MARKS = 30;
const LONG_RUN = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
const NOT_ASCII = /[\u0080-\uffff]/;

/** The one way to normalise a text: `String.normalize` takes minutes for a million marks. */
export function normalForm(text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string {
  if (!NOT_ASCII.test(text)) return text;
  const bounded = text.length > MOST_MARKS ? text.replace(LONG_RUN, "$1") : text;
  return bounded.normalize(form);
}

/** Characters whose words are searched or indexed: one of the text may stand for 18 (U+FDFA). */
export const foldedLength = (text: string): number => normalForm(text, "NFKC").length;
