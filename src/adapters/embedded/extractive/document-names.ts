import { stemOfForm } from "./stems.ts";
import { wordsOf } from "../../../text/words.ts";
import { tellingWords } from "../../../text/telling-words.ts";

/** The document that a passage was taken from. */
export type Source = {
  /** As it is cited: path, page, headings. */
  cited: string;
  /** What the passages of one document share. */
  document: string;
  /** The names in its path, as the stems that a question may name them by. */
  names: string[][];
  /** The words of those that consist of several: `is-number`. */
  spelt: string[][];
};

/** Names that say what a document is for, and not what it is about. */
const SAYS_LITTLE = /^(?:readme|index|docs?|documentation|api|main|src|man)$/i;
const EXTENSIONS = /(?:\.[\p{L}\p{N}]{1,5}){1,3}$/u;
const PAGE = /, page \d+$/;

/** Reads `handbook: guides/RetryAgent.md, page 2 › Options`. */
export function sourceOf(cited: string): Source {
  const document = (cited.split(" › ", 1)[0] ?? "").replace(PAGE, "");
  const path = document.slice(document.indexOf(": ") + 1).trim();
  const names = path.split("/").flatMap((segment) => {
    const name = segment.replace(EXTENSIONS, "");
    if (name.length < 2 || SAYS_LITTLE.test(name)) return [];
    const parts = name.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2");
    return parts === name ? [tellingStems(name)] : [tellingStems(name), tellingStems(parts)];
  });
  const spelt = path
    .split("/")
    .flatMap((segment) => [segment, segment.replace(EXTENSIONS, "")])
    .map(wordsOf);
  return {
    cited,
    document,
    names: names.filter((stems) => stems.length > 0),
    spelt: spelt.filter((words) => words.length > 1),
  };
}

const tellingStems = (text: string): string[] => tellingWords(text).map(stemOfForm);
