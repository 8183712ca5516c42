import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { headingText, plainHeading } from "../../../text/heading-text.ts";
import type { Extraction } from "../../extracted-document.ts";
import { withoutComments } from "./markdown-comments.ts";
import { countNote } from "../../notes.ts";

const HEADING_LOOK_CHARACTERS = 1_000;
const FRONT_MATTER = /^---[ \t]*\n([^]{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
/** The fence takes its whole run of marks: otherwise each shorter run would be tried in turn. */
const FENCE =
  /^[ \t>]{0,40}(`{3,}(?!`)(?![^\n]*`)|~{3,}(?!~))[^\n]*\n[^]*?(?:^[ \t>]{0,40}\1[`~]*[ \t]*$|$(?![^]))/gm;

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

function firstHeading(markdown: string): string | null {
  const outsideCode = markdown.slice(0, 50_000).replace(FENCE, "");
  const atx = /^ {0,3}#[ \t]+(\S.*)$/m.exec(outsideCode);
  const setext = /^(\S[^\n]*)\n=+[ \t]*$/m.exec(outsideCode);
  const first = (atx?.index ?? Infinity) <= (setext?.index ?? Infinity) ? atx : setext;
  const text = first?.[1]?.slice(0, HEADING_LOOK_CHARACTERS);
  return text === undefined ? null : plainHeading(headingText(text)) || null;
}
