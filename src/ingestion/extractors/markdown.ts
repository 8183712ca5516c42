import type { Extraction } from "./extracted-document.ts";

const FRONT_MATTER = /^---[ \t]*\n([^]{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const COMMENT_START = "<!--";
const COMMENT_END = "-->";
const FENCE = /^(`{3,}|~{3,})[^\n]*\n[^]*?(?:^\1[`~]*[ \t]*$|$(?![^]))/gm;

/** Markdown stays what it is, so that offsets lead back; only what no reader sees goes. */
export function extractMarkdown(text: string): Extraction {
  const front = FRONT_MATTER.exec(text)?.[1] ?? "";
  const { markdown, removed } = removeComments(text);
  return {
    text: markdown,
    title: fieldOf(front, "title") ?? firstHeading(markdown),
    language: fieldOf(front, "lang") ?? fieldOf(front, "language"),
    pages: [],
    notes: removed === 0 ? [] : [`${removed} HTML comment${removed === 1 ? "" : "s"} removed`],
  };
}

function fieldOf(frontMatter: string, name: string): string | null {
  const value = new RegExp(`^${name}:[ \\t]*(.+)$`, "m").exec(frontMatter)?.[1]?.trim() ?? "";
  return value.replace(/^(["'])(.*)\1$/, "$2").trim() || null;
}

function firstHeading(markdown: string): string | null {
  const outsideCode = markdown.slice(0, 50_000).replace(FENCE, "");
  const atx = /^ {0,3}#[ \t]+(.+?)[ \t]*#*[ \t]*$/m.exec(outsideCode);
  const setext = /^(\S[^\n]*)\n=+[ \t]*$/m.exec(outsideCode);
  const first = (atx?.index ?? Infinity) <= (setext?.index ?? Infinity) ? atx : setext;
  return first?.[1]?.trim() ?? null;
}

/** Comments are hidden text, except where they are shown: in code. */
function removeComments(text: string): { markdown: string; removed: number } {
  if (!text.includes("<!--")) return { markdown: text, removed: 0 };
  let removed = 0;
  let at = 0;
  let markdown = "";
  const withoutComments = (part: string) => {
    let kept = "";
    let from = 0;
    for (const [start, end] of commentsIn(part)) {
      kept += part.slice(from, start);
      from = end;
      removed++;
    }
    return kept + part.slice(from);
  };
  for (const code of text.matchAll(FENCE)) {
    markdown += withoutComments(text.slice(at, code.index)) + code[0];
    at = code.index + code[0].length;
  }
  return { markdown: markdown + withoutComments(text.slice(at)), removed };
}

/** Places of whole comments. */
function* commentsIn(text: string): Generator<[start: number, end: number]> {
  let start = text.indexOf(COMMENT_START);
  while (start >= 0) {
    const close = text.indexOf(COMMENT_END, start + COMMENT_START.length);
    if (close < 0) return;
    const end = close + COMMENT_END.length;
    yield [start, end];
    start = text.indexOf(COMMENT_START, end);
  }
}
