/** The text of a `#` heading, without the marks that may close it (CommonMark 0.31, §4.2). */
export function headingText(afterMarks: string): string {
  const text = afterMarks.trim();
  let end = text.length;
  while (text[end - 1] === "#") end--;
  const closes = end < text.length && /\s/.test(text[end - 1] ?? "");
  return closes ? text.slice(0, end).trimEnd() : text;
}

const IMAGE = /!\[([^[\]]*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^[\]]*\])/g;
const LINK = /\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g;
/** `[text][label]`, but not the indexes of `rows[a][b]`. */
const REFERENCE = /(?<![\p{L}\p{N}_\]])\[([^[\]]*)\]\[[^[\]]*\]/gu;
/** Code, in which a tag is a word, or a tag that marks words. */
const CODE_OR_TAG =
  /`[^`]+`|<\/?(?:a|b|br|code|em|font|i|img|kbd|picture|small|source|span|strong|sub|sup)(?=[\s/>])[^<>]*>/gi;
const ALTERNATIVE = /\salt="([^"<>]*)"/i;
/** Code, or asterisks around words: one within a word is its own (`HLA-DRB1*01:03`). */
const CODE_OR_EMPHASIS =
  /`[^`]+`|(?<![\p{L}\p{N}\\])(\*{1,3})(?=[^\s*])((?:`[^`]+`|[^*`])+)(?<![\s\\])\1/gu;
const EMPHASIS_DEPTH = 2;
const ANCHORS_AND_MARKS = /\{#[^{}]*\}|`|\\(?=[#*_`])/g;

/** Without emphasis, code marks, link targets, tags, `{#anchor}` and images beside text. */
export const plainHeading = (text: string) =>
  wordsOfHeading(text, hasWords(text) ? () => "" : (alternative) => alternative);

/** Whether a text holds more than images, such as badges. */
export const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(wordsOfHeading(text, () => ""));

function wordsOfHeading(text: string, imageOf: (alternative: string) => string): string {
  const untagged = text
    .replace(IMAGE, (_, alternative: string) => imageOf(alternative))
    .replace(LINK, "$1")
    .replace(REFERENCE, "$1")
    .replace(CODE_OR_TAG, (markup) => {
      if (markup.startsWith("`")) return markup;
      if (/^<br/i.test(markup)) return " ";
      return imageOf(ALTERNATIVE.exec(markup)?.[1] ?? "");
    });
  return withoutEmphasis(untagged).replace(ANCHORS_AND_MARKS, "").replace(/\s+/g, " ").trim();
}

function withoutEmphasis(text: string): string {
  let plain = text;
  for (let depth = 0; depth < EMPHASIS_DEPTH; depth++) {
    plain = plain.replace(
      CODE_OR_EMPHASIS,
      (markup: string, _marks, inner?: string) => inner ?? markup,
    );
  }
  return plain;
}
