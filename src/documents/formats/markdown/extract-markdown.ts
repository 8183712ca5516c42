import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { blocksOf, type Block, FRONT_MATTER, scanBlocks } from "../../chunking/scan-blocks.ts";
import type { Extraction } from "../../extracted-document.ts";
import { countNote } from "../../notes.ts";
import { withoutComments } from "./markdown-comments.ts";

/** The title of a document stands in its beginning. */
const LOOKED_AT = 50_000;

/** Stays as it is, but for comments and headings on successive lines. */
export function* readText(text: string): CooperativeWork<Extraction> {
  const front = FRONT_MATTER.exec(text)?.[1] ?? "";
  const { markdown: visible, comments } = yield* withoutComments(text);
  const markdown = yield* withHeadingsApart(visible);
  return {
    text: markdown,
    title: fieldOf(front, "title") ?? titleIn(markdown),
    language: fieldOf(front, "lang") ?? fieldOf(front, "language"),
    pages: [],
    notes: countNote(comments, "HTML comment", "removed"),
  };
}

function fieldOf(frontMatter: string, name: string): string | null {
  const value = new RegExp(`^${name}:[ \\t]*(.+)$`, "m").exec(frontMatter)?.[1]?.trim() ?? "";
  return value.replace(/^(["'])(.*)\1$/, "$2").trim() || null;
}

const CENTRED = /^\s*<h\d\s[^<>]*align=["']?center/i;

/** The first heading of level 1, else one that is centred in HTML: its level is a size. */
function titleIn(markdown: string): string | null {
  const headings = blocksOf(markdown.slice(0, LOOKED_AT)).filter(({ heading }) => heading !== "");
  const isCentred = (block: Block) => CENTRED.test(markdown.slice(block.start, block.end));
  const title = headings.find(({ level }) => level === 1) ?? headings.find(isCentred);
  return title?.heading ?? null;
}

const ATX = /^ {0,3}#{1,6}[ \t]/;
const ATX_LINES = /^ {0,3}#{1,6}[ \t].*\n {0,3}#{1,6}[ \t]/m;

/** Blank lines between headings: `scanBlocks` takes successive ones for comments of plain text. */
function* withHeadingsApart(markdown: string): CooperativeWork<string> {
  if (!ATX_LINES.test(markdown)) return markdown;
  let text = "";
  for (const block of scanBlocks(markdown)) {
    if (typeof block === "number") yield block;
    else {
      const source = markdown.slice(block.start, block.end);
      const isRun = block.kind === "paragraph" && ATX.test(source);
      text += isRun ? source.replaceAll(/\n(?=[ #])/g, "\n\n") : source;
      yield source.length;
    }
  }
  return text;
}
