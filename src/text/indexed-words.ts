import { isReduced, formsOf } from "./word-forms.ts";
import { languageOf, languageByLetters } from "./languages.ts";
import type { Language } from "./languages.ts";
import { codeWordParts, indexWordsOf, isAscii, withoutSigns } from "./words.ts";

/** What of a chunk is searched by its words. */
export type ChunkText = { headings: string[]; text: string };

const PARAGRAPH_END = "\n\n";

type InLanguage = { text: string; language: Language | null };

/** A text's paragraphs; one too short to tell its language has that of the text around it. */
function inLanguages(text: string, around: Language | null): InLanguage[] {
  const paragraphs = text.split(PARAGRAPH_END);
  if (paragraphs.length === 1) return [{ text, language: around }];
  return paragraphs.map((part) => ({ text: part, language: languageOf(part) ?? around }));
}

const reducedOf = (language: Language | null) =>
  language !== null && isReduced(language) ? language : null;

/** Each word as it is indexed, then the parts of names in code, which count as a whole, too. */
function wordsIn(text: string, parts: InLanguage[]): string[] {
  const words = parts.flatMap(({ text: part, language }) => {
    const reduced = reducedOf(language);
    return indexWordsOf(part).flatMap((word) => formsOf(word, reduced));
  });
  return [...words, ...codeWordParts(text)];
}

/** In one text, with ASCII between words; one without forms keeps its case, faster for FTS5. */
function textIn(text: string, parts: InLanguage[]): string {
  const plain = withoutSigns(text);
  if (!isAscii(plain) || parts.some(({ language }) => reducedOf(language) !== null)) {
    return wordsIn(text, parts).join(" ");
  }
  const names = codeWordParts(plain);
  return names.length === 0 ? plain : `${plain} ${names.join(" ")}`;
}

function partsOf({ headings, text }: ChunkText) {
  const language = languageOf(text) ?? languageByLetters(text);
  const heading = headings.join("\n");
  return {
    heading,
    ofHeadings: [{ text: heading, language: language ?? languageOf(heading) }],
    ofText: inLanguages(text, language),
  };
}

export function indexedWordsOf(chunk: ChunkText): { headings: string[]; text: string[] } {
  const { heading, ofHeadings, ofText } = partsOf(chunk);
  return { headings: wordsIn(heading, ofHeadings), text: wordsIn(chunk.text, ofText) };
}

/** What the FTS index is given of a chunk, and the languages whose words are reduced in it. */
export function indexedTextsOf(chunk: ChunkText) {
  const { heading, ofHeadings, ofText } = partsOf(chunk);
  const languages = [...ofHeadings, ...ofText].flatMap(({ language }) => reducedOf(language) ?? []);
  return {
    headings: textIn(heading, ofHeadings),
    text: textIn(chunk.text, ofText),
    languages: new Set(languages),
  };
}
