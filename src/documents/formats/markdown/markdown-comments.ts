import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";

const COMMENT_START = "<!--";
const COMMENT_END = "-->";
const BEFORE = String.raw`(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t]){0,200}`;
/** Fences, code and comments. Runs match whole: each shorter one would be tried, too. */
const PARTS = new RegExp(
  [
    `^${BEFORE}` +
      "(?<marks>`{3,}(?=[^`\\n]*(?:\\n|$(?![^])))|~{3,}(?!~))[^\\n]*" +
      "(?:\\n[^]*?(?:^[ \\t>]{0,200}\\k<marks>[`~]*[ \\t]*$|$(?![^]))|$(?![^]))",
    "`[^`\\n]+`",
    COMMENT_START,
  ].join("|"),
  "gm",
);

/** Markdown without its comments, except in fences and inline code. Hidden elements stay as text. */
export function* withoutComments(
  text: string,
): CooperativeWork<{ markdown: string; comments: number }> {
  if (!text.includes(COMMENT_START)) return { markdown: text, comments: 0 };
  const progress = new Progress();
  const parts = new RegExp(PARTS);
  let [visible, from, comments] = ["", 0, 0];
  for (let part = parts.exec(text); part !== null; part = parts.exec(text)) {
    yield* progress.advanceTo(parts.lastIndex);
    if (part[0] !== COMMENT_START) continue;
    const close = text.indexOf(COMMENT_END, parts.lastIndex);
    if (close < 0) break;
    comments++;
    visible += text.slice(from, part.index);
    parts.lastIndex = from = close + COMMENT_END.length;
  }
  return { markdown: visible + text.slice(from), comments };
}
