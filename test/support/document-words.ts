/** Words of documents as two readers give them, without what only one of the two writes. */

const SINGLE = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}";
const WORD = new RegExp(
  `[${SINGLE}]|[[\\p{L}\\p{N}\\p{M}]--[${SINGLE}\\u{fe00}-\\u{fe0f}]]+`,
  "gv",
);

/** Our Markdown, compared with this reader's text. */
export function ourWords(markdown: string, oracle: string): string[] {
  return wordsOf(markdown.replace(unseenBy(oracle), ""), oracle);
}

export function oracleWords(text: string, oracle: string): string[] {
  // LibreOffice joins a note's number to the word before it.
  const apart = oracle === "libreoffice" ? text.replace(/(?<=\p{L}{3})\d{1,2}\b/gu, "") : text;
  return wordsOf(apart, oracle);
}

/** Text that LibreOffice leaves out: notes under the page, notes of the speaker, sheet names. */
function unseenBy(oracle: string): RegExp {
  if (oracle === "libreoffice, pdftotext") return /^> .*$/gm;
  if (oracle === "libreoffice calc") return /^# .*$/gm;
  return oracle === "libreoffice" ? /^\[\^\d+\]: .*$/gm : /(?!)/g;
}

function wordsOf(text: string, oracle: string): string[] {
  const folded = plain(text).normalize("NFKC").toLowerCase();
  const bare = folded.replace(/(?<=\d)[,](?=\d{3})/g, "");
  // LibreOffice writes 12.5 for a cell that shows 12.50.
  const even = oracle === "libreoffice calc" ? bare.replace(/(\d\.\d*?)0+\b/g, "$1") : bare;
  return even.match(WORD) ?? [];
}

/** Without link targets, languages of code, and numbers of notes and of list items. */
function plain(text: string): string {
  const withoutLinks = text
    .replace(/^```\w+$/gm, "")
    .replace(/\u00ad/g, "")
    .replace(/\[([^\]]*)\]\((?:https?|mailto):[^)]*\)/g, "$1");
  const withoutNotes = withoutLinks.replace(/\[\^?[\w-]+\]:?(?= |$)|\[\^?\d+\]/gm, " ");
  const bare = withoutNotes.replace(/^[\s>]*[-•]\s/gm, " ");
  return bare.replace(/^[\s>]*\(?(\d+|[a-z]|[ivx]+)[.)]\s/gm, " ");
}

export function countsOf(words: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/**
 * Recall: the reader's words that are ours too; precision: our words that the reader has, or that
 * are among `names`, which may be shown or not.
 */
export function sharesOf(
  ours: string[],
  theirs: string[],
  names: string[] = [],
): { recall: number; precision: number } {
  return {
    recall: sharedBy(ours, theirs) / Math.max(1, theirs.length),
    precision: sharedBy(ours, [...theirs, ...names]) / Math.max(1, ours.length),
  };
}

function sharedBy(ours: string[], theirs: string[]): number {
  const counts = countsOf(ours);
  let shared = 0;
  for (const [word, count] of countsOf(theirs)) shared += Math.min(count, counts.get(word) ?? 0);
  return shared;
}
