import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { blocksOf, FRONT_MATTER } from "../../chunking/scan-blocks.ts";
import type { Extraction } from "../../extracted-document.ts";
import { withoutComments } from "./markdown-comments.ts";
import { countNote } from "../../notes.ts";

/** The title of a document stands in its beginning. */
const LOOKED_AT = 50_000;

/** Stays as it is, so that offsets refer to the source, but for comments. */
export function* readText(text: string): CooperativeWork<Extraction> {
  const front = FRONT_MATTER.exec(text)?.[1] ?? "";
  const { markdown, comments } = yield* withoutComments(text);
  return {
    text: markdown,
    title: fieldOf(front, "title") ?? firstHeading(markdown),
    language: fieldOf(front, "lang") ?? fieldOf(front, "language"),
    pages: [],
    notes: countNote(comments, "HTML comment", "removed"),
  };
}

function fieldOf(frontMatter: string, name: string): string | null {
  const value = new RegExp(`^${name}:[ \\t]*(.+)$`, "m").exec(frontMatter)?.[1]?.trim() ?? "";
  return value.replace(/^(["'])(.*)\1$/, "$2").trim() || null;
}

const firstHeading = (markdown: string) =>
  blocksOf(markdown.slice(0, LOOKED_AT)).find(({ level, heading }) => level === 1 && heading !== "")
    ?.heading ?? null;
