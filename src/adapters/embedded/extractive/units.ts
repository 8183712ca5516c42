import { scanBlocks } from "../../../documents/chunking/scan-blocks.ts";
import { splitSentences } from "../../../text/sentences.ts";
import { stemsOf } from "./question.ts";

export type Passage = { text: string; source: string };

/** A stretch of a passage, UTF-16 offsets, end excluded. */
type Span = { start: number; end: number };

/** A block as it is written, or a table's header with one of its rows. */
export type Part = Span & {
  kind: "paragraph" | "list" | "table" | "code";
  text: string;
  /** Of its first line. */
  indent: number;
  /** The stems of each sentence. */
  sentences: string[][];
};

/**
 * What is quoted, never less: a short section, or a block with what leads to it and what takes it
 * up; of a table its header and one row.
 */
export type Unit = {
  passage: number;
  heading: string;
  /** Stems of the document's name and of all headings. */
  above: string[];
  parts: Part[];
  /** What is quoted: all of it, or what stands up to a table's rows, a row, and what follows. */
  spans: Span[];
  /** Whether its beginning stands in another passage, or what it leads to does. */
  isCut: boolean;
};

/** A section up to this length is quoted whole. */
const SHORT_SECTION_CHARACTERS = 800;
/** Beyond these a source, a run of blocks or a table's header is not what it seems. */
const MAX_SOURCE_CHARACTERS = 2_000;
const MAX_RUN_BLOCKS = 100;
const MAX_HEADER_CHARACTERS = 400;

/** Words with which a block goes on from the one before it, or takes back what that says. */
const GOES_ON =
  /^[>*_"'“(\s]*(?:it|its|they|their|them|this|that|these|those|he|she|such|then|however|otherwise|instead|also|in (?:this|that|these|those|such) cases?|so|but|and|or|nor|not|except|unless|only|never|do not|don['’]t|the (?:latter|former|same|other)|note|warning|caution|important|attention|er|sie|es|diese[rsmn]?|dies|dann|danach|sonst|aber|und|oder|auch|jedoch|außer|nur|nicht|achtung|hinweis)(?![\p{L}\p{N}_(=.])/iu;
const LEADS = /[:：][*_]{0,3}\s*$/;
/** The title of a section of a manual page, or of a part of it: its text is deeper. */
const MANUAL_TITLE = /^(?:[A-Z][A-Z0-9 /,-]{2,40}\n(?= )| {3}\p{Lu}[^.:,;\n]{1,60}\n(?= {4}))/u;
/** What may be typed says nothing of what it does. */
const SHOWS_USAGE = /^synopsis$/i;
/** Pictures, links that lead elsewhere, and the settings of a page. */
const LINK =
  /^---\n[\w-]+:[^]*\n---$|!?\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\]|:.*)|<a href="#[^>]{0,200}>.{0,300}?<\/a>|<[^<>]{0,500}>/g;

export function unitsOf({ text, source }: Passage, passage: number): Unit[] {
  const [document = "", ...headings] = source.slice(0, MAX_SOURCE_CHARACTERS).split(" › ");
  return sectionsOf(text).flatMap(({ heading: own, parts: all }) => {
    const heading = own ?? headings.at(-1) ?? "";
    if (SHOWS_USAGE.test(heading)) return [];
    const above = [...new Set(stemsOf([document, ...headings, heading].join(" ")))];
    return runsOf(all).flatMap((run, nth) => {
      const isCut = isCutOff(run, own === null && nth === 0);
      return rowsOf(run).map(({ parts, spans }) => {
        return { passage, heading, above, isCut, parts, spans };
      });
    });
  });
}

/** A heading of null: what stands before the first. */
type Section = { heading: string | null; parts: Part[] };

function sectionsOf(text: string): Section[] {
  const first: Section = { heading: null, parts: [] };
  const sections = [first];
  for (const { kind, heading, start, end } of scanBlocks(text)) {
    const said = text.slice(start, end).trimEnd();
    if (kind === "heading") sections.push({ heading, parts: [] });
    else if (kind === "code" || /[\p{L}\p{N}]/u.test(said.replace(LINK, "").replace(LINK, ""))) {
      const [title = ""] = (kind === "paragraph" && MANUAL_TITLE.exec(said)) || [];
      if (title !== "") sections.push({ heading: title.trim(), parts: [] });
      sections.at(-1)?.parts.push(partOf(said.slice(title.length), kind, start + title.length));
    }
  }
  const [cut, ...others] = first.parts;
  // Where a passage begins, the blanks before its first line are lost.
  if (cut?.start === 0) {
    cut.indent = Math.min(80, ...others.slice(0, MAX_RUN_BLOCKS).map(({ indent }) => indent));
  }
  return sections;
}

function partOf(text: string, kind: Part["kind"], start: number): Part {
  // The lines of a paragraph are no sentences.
  const flowing = kind === "paragraph" ? text.replace(/\n[ \t]*(?=\S)/g, " ") : text;
  const sentences = splitSentences(flowing).map(stemsOf);
  return { kind, text, start, end: start + text.length, indent: text.search(/\S/), sentences };
}

/** The blocks of a section that are quoted together. */
function runsOf(parts: Part[]): Part[][] {
  const length = (parts.at(-1)?.end ?? 0) - (parts[0]?.start ?? 0);
  const tables = parts.filter(({ kind }) => kind === "table");
  const isShort = length <= SHORT_SECTION_CHARACTERS && tables.length <= 1;
  const runs: Part[][] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    if (run !== undefined && (isShort || belongs(run, part))) run.push(part);
    else runs.push([part]);
  }
  return runs;
}

function belongs(run: Part[], { kind, text, indent }: Part): boolean {
  const above = run.at(-1);
  if (above === undefined || run.length >= MAX_RUN_BLOCKS) return false;
  if (kind === "paragraph" && GOES_ON.test(text)) return true;
  if (above.kind === "table") return false;
  const isDeeper = indent > (run[0]?.indent ?? 0);
  return isDeeper || kind === "code" || kind === "list" || LEADS.test(above.text);
}

function isCutOff(run: Part[], mayBeCut: boolean): boolean {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || (last?.kind === "paragraph" && LEADS.test(last.text))) return true;
  if (!mayBeCut || first.kind === "table") return false;
  const isWithin = /^\p{Ll}[\p{Ll}’'-]*[\s,.;:)]/u.test(first.text);
  return first.kind !== "paragraph" || isWithin || GOES_ON.test(first.text);
}

/** A run with a table once for each of its rows; without, once. */
function rowsOf(run: Part[]): Pick<Unit, "parts" | "spans">[] {
  const [start, end] = [run[0]?.start ?? 0, run.at(-1)?.end ?? 0];
  const table = run.find(({ kind }) => kind === "table");
  const [names = "", rule = "", ...rows] = table?.text.split("\n") ?? [];
  if (table === undefined || rows.length === 0) return [{ parts: run, spans: [{ start, end }] }];
  const headerEnd = table.start + names.length + 1 + rule.length;
  const columns = names.slice(0, MAX_HEADER_CHARACTERS);
  let from = headerEnd;
  return rows.map((line) => {
    const row = { start: from, end: from + 1 + line.length };
    from = row.end;
    const part = { ...table, text: line, sentences: [stemsOf(`${columns} ${line}`)] };
    const parts = run.map((one) => (one === table ? part : one));
    return { parts, spans: [{ start, end: headerEnd }, row, { start: table.end, end }] };
  });
}
