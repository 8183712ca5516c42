import { languageOf, languageByLetters } from "./languages.ts";
import type { Language } from "./languages.ts";
import { spellingsOf } from "./spellings.ts";
import { isReduced, formsOf } from "./word-forms.ts";
import type { ReducedLanguage } from "./word-forms.ts";
import { indexWordsOf, isAscii, withoutSigns } from "./words.ts";

/** Parts of a chunk that are searched by their words. `languages`: see `languagesOf`. */
export type ChunkText = { headings: string[]; text: string; languages: string };

const PARAGRAPH_END = "\n\n";

/**
 * The language of a passage, followed by those of its paragraphs where they differ. Paragraphs
 * whose own is unclear have that of the passage, such a passage that of its document.
 */
export function languagesOf(text: string, ofDocument: Language | null): string {
  const around = languageOf(text) ?? reducedLanguage(ofDocument) ?? languageByLetters(text) ?? "en";
  const paragraphs = text.split(PARAGRAPH_END);
  if (paragraphs.length === 1) return around;
  const languages = paragraphs.map((part) => languageOf(part) ?? around);
  return languages.every((language) => language === around)
    ? around
    : [around, ...languages].join(" ");
}

type InLanguage = { text: string; language: ReducedLanguage | null };

const reducedLanguage = (language: string | null) =>
  language !== null && isReduced(language) ? language : null;

/** Each word as it is indexed, then its other spellings. */
function wordsIn(text: string, parts: InLanguage[]): string[] {
  const words = parts.flatMap(({ text: part, language }) =>
    indexWordsOf(part).flatMap((word) => formsOf(word, language)),
  );
  return [...words, ...spellingsOf(text)];
}

/** In one text, with ASCII between words; one without forms keeps its case, faster for FTS5. */
function textIn(text: string, parts: InLanguage[]): string {
  const plain = withoutSigns(text);
  if (!isAscii(plain) || parts.some(({ language }) => language !== null)) {
    return wordsIn(text, parts).join(" ");
  }
  const spellings = spellingsOf(text);
  return spellings.length === 0 ? plain : `${plain} ${spellings.join(" ")}`;
}

function partsOf({ headings, text, languages }: ChunkText) {
  const [around = null, ...ofParagraphs] = languages.split(" ").map(reducedLanguage);
  const heading = headings.join("\n");
  const isOfOne = ofParagraphs.length === 0;
  const texts = isOfOne ? [text] : text.split(PARAGRAPH_END);
  return {
    heading,
    ofHeadings: [{ text: heading, language: around }],
    ofText: texts.map((part, at) => ({
      text: part,
      language: isOfOne ? around : (ofParagraphs[at] ?? null),
    })),
  };
}

export function indexedWordsOf(chunk: ChunkText): { headings: string[]; text: string[] } {
  const { heading, ofHeadings, ofText } = partsOf(chunk);
  return { headings: wordsIn(heading, ofHeadings), text: wordsIn(chunk.text, ofText) };
}

/** Texts of a chunk for the FTS index, and the languages whose words are reduced in it. */
export function indexedTextsOf(chunk: ChunkText) {
  const { heading, ofHeadings, ofText } = partsOf(chunk);
  const languages = [...ofHeadings, ...ofText].flatMap(({ language }) => language ?? []);
  return {
    headings: textIn(heading, ofHeadings),
    text: textIn(chunk.text, ofText),
    languages: new Set(languages),
  };
}
