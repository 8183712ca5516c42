import { codeWordParts, searchWordsOf } from "../text/words.ts";

/** More of a passage is not looked at. */
const MAX_CHARACTERS = 8_000;
const EXTENSIONS = /(?:\.[\p{L}\p{N}]{1,5}){1,3}$/u;
const CASE_CHANGE = /([\p{Ll}\d])(\p{Lu})/gu;
/** Names that say what a document is for, and not what it is about. */
const SAYS_LITTLE = /^(?:readme|index|docs?|documentation|api|main|src|man|guides?)$/i;

/** A passage by its words: its names are cut once for all queries. */
export type PassageWords = ReturnType<typeof wordsOfPassage>;

export const wordsOfPassage = ({
  path,
  headings,
  text,
}: {
  path: string;
  headings: string[];
  text: string;
}) => ({
  /** Their beginnings. */
  text: text.slice(0, MAX_CHARACTERS),
  headings: headings.join("\n").slice(0, MAX_CHARACTERS),
  /** Those of each name in the path (`undici`, `retry agent`), outermost first. */
  names: namesIn(path),
});

const wordsIn = (text: string) => [...searchWordsOf(text), ...codeWordParts(text)];

function namesIn(path: string): string[][] {
  return path
    .split("/")
    .map((segment) => segment.replace(EXTENSIONS, ""))
    .filter((name) => name.length > 1 && !SAYS_LITTLE.test(name))
    .map((name) => wordsIn(name.replace(CASE_CHANGE, "$1 $2")))
    .filter((words) => words.length > 0);
}
