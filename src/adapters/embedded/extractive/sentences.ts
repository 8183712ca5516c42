import { trimEnd } from "../../../core/trim.ts";
import { splitSentences } from "../../../text/sentences.ts";
import { stemOf } from "../../../text/stems.ts";
import { pairUnspacedScripts, wordsOf } from "../../../text/words.ts";

/** A sentence, list item or table row, and its position. */
export type Sentence = {
  text: string;
  stems: string[];
  /** Stems of the headings above it. */
  headingStems: Set<string>;
  /** The index of its passage, and its position in the passage. */
  passage: number;
  position: number;
};

const STOP_WORDS = new Set(
  `a about above after all also am an and any are as at be been before being below between both but
  by can could did do does doing done each few for from further had has have having he her here hers
  him his how i if in into is it its itself just many me more most much my no nor not now of off on
  once only or other our ours out over own please same she should so some such tell than that the
  their theirs them then there these they this those through to too under until up us very was we
  were what when where which while who whom whose why will with would you your yours give get gets
  find show say says according
  der die das ein eine einen einem einer und oder ist sind war wie viel viele was wer wo wann warum
  ich du er sie es wir ihr mein dein unser im in am an auf aus bei mit von zu zum zur den dem des
  nicht kein keine kann darf muss hat haben habe gibt es man bekomme bekommt`.split(/\s+/),
);

export function stemsOf(text: string): string[] {
  return wordsOf(pairUnspacedScripts(text)).map(stemOf);
}

/** Stems without stop words; all of them when nothing else is left. */
export function termsOf(text: string): string[] {
  const words = wordsOf(pairUnspacedScripts(text));
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return [...new Set((telling.length > 0 ? telling : words).map(stemOf))];
}

const HEADING = /^\s{0,3}#{1,6}\s/;
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
const TABLE_ROW = /^\s*\|(.+)\|\s*$/;
const TABLE_RULE = /^\s*\|[\s:|-]+\|\s*$/;

/** Splits Markdown or plain text; each sentence keeps the headings above it. */
export function sentencesOf(text: string, passage = 0, title = ""): Sentence[] {
  const sentences: Sentence[] = [];
  let headingStems = new Set(stemsOf(title));
  for (const block of blocksOf(text)) {
    if (block.kind === "heading") headingStems = new Set(stemsOf(`${title} ${block.text}`));
    else {
      for (const said of splitSentences(block.text)) {
        const plain = plainText(said);
        const position = sentences.length;
        const stems = stemsOf(plain);
        if (plain !== "") sentences.push({ text: plain, stems, headingStems, passage, position });
      }
    }
  }
  return sentences;
}

type Block = { kind: "heading" | "said"; text: string };

/** Headings, paragraphs, list items and table rows, in the order of the text. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  let columns: string[] | null = null;
  for (const line of text.split(/\r?\n/)) {
    const row = TABLE_ROW.exec(line)?.[1];
    if (row !== undefined) {
      open = null;
      if (TABLE_RULE.test(line)) continue;
      const cells = row.split("|").map((cell) => cell.trim());
      if (columns === null) columns = cells;
      else blocks.push({ kind: "said", text: rowText(columns, cells) });
      continue;
    }
    columns = null;
    const started = startedBlock(line);
    if (started === null && open !== null) open.text += ` ${line.trim()}`;
    else {
      open = started ?? { kind: "said", text: line.trim() };
      blocks.push(open);
    }
    if (open.kind === "heading" || line.trim() === "") open = null;
  }
  return blocks;
}

/** The block that a line begins; null when it may continue the previous one. */
function startedBlock(line: string): Block | null {
  const heading = HEADING.exec(line)?.[0].length;
  if (heading !== undefined) {
    return { kind: "heading", text: trimEnd(line.slice(heading).trim(), "#").trimEnd() };
  }
  const item = LIST_ITEM.exec(line)?.[0].length;
  if (item !== undefined) return { kind: "said", text: line.slice(item) };
  return line.trim() === "" ? { kind: "said", text: "" } : null;
}

/** `Grade: B; Days: 30` for a row below `| Grade | Days |`. */
function rowText(columns: string[], cells: string[]): string {
  const named = cells.map((cell, at) => {
    const column = columns[at] ?? "";
    return column === "" ? cell : `${column}: ${cell}`;
  });
  return named.join("; ");
}

/** Without Markdown's emphasis, code marks, links and quotes. */
function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^[\]]*)\]\([^)]{0,1000}\)/g, "$1")
    .replace(/(\*\*|__|`)/g, "")
    .replace(/(^|\s)\*(\S[^*]*)\*/g, "$1$2")
    .replace(/^\s*>+\s?/, "")
    .replace(/\s+/gu, " ")
    .trim();
}
