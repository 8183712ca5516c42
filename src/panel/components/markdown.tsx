import type { Child } from "hono/jsx";

import { LIST_ITEM, blocksOf, cellsOf, type Block } from "../../documents/chunking/scan-blocks.ts";
import { showHidden } from "./data.tsx";
import { inline, type Words } from "./markdown-inline.tsx";

/** Something of ours within the text, such as the number of a citation. */
export type Note = { at: number; shown: Child };

type MarkdownProps = {
  text: string;
  id?: string | undefined;
  /** Shows a stretch of text; absent: as it is. */
  words?: Words;
  notes?: readonly Note[];
};

/** Somebody else's Markdown, or plain text, whole or a part. Its HTML is text. */
export const Markdown = ({ text, id, words = (plain) => plain, notes = [] }: MarkdownProps) => (
  <div class="markdown data" dir="auto" id={id}>
    {blocks(insertNoteMarks(showHidden(text), notes), wordsWith(words, notes), 0)}
  </div>
);

/** Lists and quotes in each other: what is nested deeper stays as it was written. */
const MAX_DEPTH = 8;

function blocks(text: string, words: Words, depth: number): Child[] {
  if (depth >= MAX_DEPTH) return [text];
  return blocksOf(text).map((block) => {
    const source = text.slice(block.start, block.end);
    return source.trim() === "" ? null : elementOf(block, source, words, depth);
  });
}

function elementOf({ kind, level }: Block, source: string, words: Words, depth: number): Child {
  const lines = source.trimEnd().split("\n");
  switch (kind) {
    case "heading":
      return (
        <p class="heading" data-level={String(level)}>
          {inline(headingIn(lines), words)}
        </p>
      );
    case "code":
      return codeBlock(lines, words);
    case "table":
      return table(lines, words);
    case "list":
      return list(lines, words, depth);
    case "paragraph":
      return paragraph(lines, words, depth);
    default:
      return kind satisfies never;
  }
}

/** Without its signs, before it or below it. */
const headingIn = ([first = "", ...below]: string[]) =>
  below.length > 0 ? first : first.replace(/^ {0,3}#{1,6}/, "").trim();

function codeBlock([opening = "", ...lines]: string[], words: Words): Child {
  const mark = opening.trim().charAt(0);
  const isClosed = lines.at(-1)?.trim().startsWith(mark.repeat(3)) === true;
  const code = isClosed ? lines.slice(0, -1) : lines;
  return (
    <pre class="wrap">
      <code>{words(code.join("\n"))}</code>
    </pre>
  );
}

/** The rule below the head of a table. */
const RULE = /^[\s|:-]+$/;

/** A passage may hold rows alone, whose head is in the passage before. */
function table(lines: string[], words: Words): Child {
  const hasHead = RULE.test(lines[1] ?? "");
  const rows = lines.filter((_line, at) => at !== 1 || !hasHead).map(cellsOf);
  const [head, ...body] = hasHead ? rows : [null, ...rows];
  const row = (cells: readonly string[], Cell: "td" | "th") => (
    <tr>
      {cells.map((cell) => (
        <Cell>{inline(cell, words)}</Cell>
      ))}
    </tr>
  );
  return (
    <div class="table" role="group" aria-label="Table" tabindex={0}>
      <table>
        {head == null ? null : <thead>{row(head, "th")}</thead>}
        <tbody>{body.map((cells) => row(cells ?? [], "td"))}</tbody>
      </table>
    </div>
  );
}

function list(lines: string[], words: Words, depth: number): Child {
  const [first = ""] = lines;
  const indent = /^\s*/.exec(first)?.[0].length ?? 0;
  const items: string[][] = [];
  for (const line of lines) {
    const marker = LIST_ITEM.exec(line)?.[1];
    if (marker !== undefined && marker.length <= indent) items.push([line.trim()]);
    else items.at(-1)?.push(line);
  }
  const shownItems = items.map((item) => <li>{blocks(itemText(item), words, depth + 1)}</li>);
  const [number] = /^\d+/.exec(first.trim()) ?? [];
  return number === undefined ? (
    <ul>{shownItems}</ul>
  ) : (
    <ol start={Number(number)}>{shownItems}</ol>
  );
}

/** An item without its marker, its further lines without their indentation. */
function itemText([first = "", ...rest]: string[]): string {
  const own = first.replace(/^\S+\s+/, "");
  const least = Math.min(...rest.filter((line) => line.trim() !== "").map(indentOf));
  return [own, ...rest.map((line) => line.slice(Math.min(least, indentOf(line))))].join("\n");
}

const indentOf = (line: string) => line.length - line.trimStart().length;

function paragraph(lines: string[], words: Words, depth: number): Child {
  const isMarked = (mark: string) => lines.every((line) => line.trimStart().startsWith(mark));
  if (isMarked(">")) {
    const inner = lines.map((line) => line.trimStart().replace(/^> ?/, "")).join("\n");
    return <blockquote>{blocks(inner, words, depth + 1)}</blockquote>;
  }
  if (isMarked("|")) return table(lines, words);
  const text = lines.join("\n");
  const signs = text.replaceAll(" ", "");
  if (/^(?:-{3,}|\*{3,}|_{3,})$/.test(signs)) return <hr />;
  return <p>{inline(text, words)}</p>;
}

/** Around the number of a note. Unicode keeps these two for use within a program. */
const OPEN = "\uFDD0";
const CLOSE = "\uFDD1";

function insertNoteMarks(text: string, notes: readonly Note[]): string {
  const own = text.replaceAll(/[\uFDD0\uFDD1]/g, "\uFFFD");
  const cuts = notes
    // A number behind a row of a table belongs into its last cell.
    .map(({ at }, number) => ({ at: own.charAt(at - 1) === "|" ? at - 1 : at, number }))
    .sort((a, b) => a.at - b.at);
  const parts = cuts.map(({ at, number }, place) => {
    const before = own.slice(cuts[place - 1]?.at ?? 0, at);
    // The end of a code block must stay alone on its line.
    const isFence = /^ {0,3}(?:```|~~~)/.test(own.slice(own.lastIndexOf("\n", at - 1) + 1, at));
    return `${before}${isFence ? "\n" : ""}${OPEN}${number}${CLOSE}`;
  });
  return parts.join("") + own.slice(cuts.at(-1)?.at ?? 0);
}

const wordsWith =
  (words: Words, notes: readonly Note[]): Words =>
  (text) =>
    notes.length === 0
      ? words(text)
      : text
          .split(/\uFDD0(\d+)\uFDD1/)
          .map((part, at) => (at % 2 === 1 ? notes[Number(part)]?.shown : words(part)));
