import { normalForm } from "../../core/normal-form.ts";
import type { Block } from "./scan-blocks.ts";

/** A heading above a position; `at` is its offset in the text. */
type PathEntry = { text: string; level: number; at: number };
export type HeadingPath = readonly PathEntry[];

/** The path below a heading: headings of deeper and equal levels are removed. */
export function pathUnder(path: HeadingPath, heading: Block): HeadingPath {
  const above = path.filter((entry) => entry.level < heading.level);
  if (heading.heading === "") return above;
  return [...above, { text: heading.heading, level: heading.level, at: heading.start }];
}

export function commonPath(paths: HeadingPath[]): HeadingPath {
  const [first = []] = paths;
  let shared = first.length;
  for (const path of paths) {
    let at = 0;
    while (at < shared && path[at] === first[at]) at++;
    shared = at;
  }
  return first.slice(0, shared);
}

const MAX_TITLE_CHARACTERS = 200;
/** Names such as `3f2a9c…`, `10023` and `IMG_2041` do not describe the content. */
const READABLE_NAME = /\p{L}{3}/u;
const MACHINE_NAME = /^(?:[0-9a-f-]{16,}|(?:img|scan|doc|file|document|untitled|export)[\W\d_]*)$/i;

export type Title = { text: string; isName: boolean };

/** The document's own title, else the words of its file name, else null. */
export function titleFor(title: string | null, fileName: string): Title | null {
  const own = title?.trim().slice(0, MAX_TITLE_CHARACTERS) ?? "";
  if (own !== "") return { text: own, isName: false };
  const base = fileName.slice(fileName.lastIndexOf("/") + 1);
  const stem = base.replace(/\.[A-Za-z0-9]{1,8}$/, "");
  if (!READABLE_NAME.test(stem) || MACHINE_NAME.test(stem)) return null;
  const text = stem.replace(/[_\-.\s]+/g, " ").trim();
  return text === "" ? null : { text: text.slice(0, MAX_TITLE_CHARACTERS), isName: true };
}

export function sameWords(a: string, b: string): boolean {
  const fold = (text: string) =>
    normalForm(text, "NFKC")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return fold(a) === fold(b);
}
