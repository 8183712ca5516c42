import { scanBlocks } from "../../../documents/chunking/scan-blocks.ts";
import { splitSentences } from "../../../text/sentences.ts";
import { stemsOf } from "./question.ts";

export type Passage = { text: string; source: string };

/** A stretch of a passage, UTF-16 offsets, end excluded. */
export type Span = { start: number; end: number };

/** A block, a table's header or one of its rows, as it is written. */
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
  above: Set<string>;
  parts: Part[];
  /** What is quoted: all of it, or what stands up to a table's rows, a row, and what follows. */
  spans: Span[];
  /** Whether its beginning stands in another passage, or what it leads to does. */
  isCut: boolean;
};

/** A section up to this length is quoted whole. */
const SHORT_SECTION_CHARACTERS = 800;
/** A paragraph up to this length is quoted with the list below it, with or without a colon. */
const SHORT_LEAD_CHARACTERS = 400;
/** Beyond these a source or a run of blocks is not what it seems. */
const MAX_SOURCE_CHARACTERS = 2_000;
const MAX_RUN_BLOCKS = 100;

/** Words with which a block goes on from the one before it, or takes back what that says. */
const GOES_ON =
  /^[>*_"'“(\s]*(?:it|its|they|their|them|this|that|these|those|he|she|such|then|however|otherwise|instead|also|in (?:this|that|these|those|such) cases?|so|but|and|or|nor|not|except|unless|only|never|do not|don['’]t|the (?:latter|former|same|other)|note|warning|caution|important|attention|er|sie|es|diese[rsmn]?|dies|dann|danach|sonst|aber|und|oder|auch|jedoch|außer|nur|nicht|achtung|hinweis)(?![\p{L}\p{N}_(=.])/iu;
const LEADS = /[:：][*_]{0,3}\s*$/;
/** The title of a section of a manual page, or of a part of it: its text is deeper. */
const MANUAL_TITLE = /^(?:[A-Z][A-Z0-9 /,-]{2,40}\n(?= )| {3}\p{Lu}[^.:,;\n]{1,60}\n(?= {4}))/u;
/** What may be typed says nothing of what it does. */
const SHOWS_USAGE = /^synopsis$/i;
/** Pictures, and links that lead elsewhere. */
const LINK =
  /!?\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\]|:.*)|<a href="#[^>]{0,200}>.{0,300}?<\/a>|<[^<>]{0,500}>/g;

export function unitsOf({ text, source }: Passage, passage: number): Unit[] {
  const [document = "", ...headings] = source.slice(0, MAX_SOURCE_CHARACTERS).split(" › ");
  return sectionsOf(text).flatMap(({ heading: own, parts: all }) => {
    const heading = own ?? headings.at(-1) ?? "";
    if (SHOWS_USAGE.test(heading)) return [];
    const above = new Set(stemsOf([document, ...headings, heading].join(" ")));
    return runsOf(all).flatMap((run, nth) => {
      const isCut = isCutOff(run, own === null && nth === 0);
      return rowsOf(run).map(({ parts, spans }) => ({
        passage,
        heading,
        above,
        isCut,
        parts,
        spans,
      }));
    });
  });
}

/** A heading of null: what stands before the first. */
type Section = { heading: string | null; parts: Part[] };

function sectionsOf(text: string): Section[] {
  const sections: Section[] = [{ heading: null, parts: [] }];
  for (const { kind, heading, start, end } of scanBlocks(text)) {
    const said = text.slice(start, end).trimEnd();
    if (kind === "heading") sections.push({ heading, parts: [] });
    else if (tells(said, kind, start)) {
      const [title = ""] = kind === "paragraph" ? (MANUAL_TITLE.exec(said) ?? []) : [];
      if (title !== "") sections.push({ heading: title.trim(), parts: [] });
      sections.at(-1)?.parts.push(partOf(said.slice(title.length), kind, start + title.length));
    }
  }
  mendIndent(sections[0]?.parts ?? []);
  return sections;
}

/** Where a passage begins, the blanks before its first line are lost. */
function mendIndent([first, ...others]: Part[]): void {
  if (first?.start !== 0) return;
  first.indent = Math.min(80, ...others.slice(0, MAX_RUN_BLOCKS).map(({ indent }) => indent));
}

/** Whether a block is more than links, and the settings of a page, which are for programs. */
function tells(said: string, kind: Part["kind"], start: number): boolean {
  if (kind === "code") return true;
  if (kind === "paragraph" && start === 0 && /^---\s*\n[\w-]+:/.test(said)) return false;
  return /[\p{L}\p{N}]/u.test(said.replace(LINK, "").replace(LINK, ""));
}

function partOf(text: string, kind: Part["kind"], start: number): Part {
  // The lines of a paragraph are no sentences.
  const flowing = kind === "paragraph" ? text.replace(/\n[ \t]*(?=\S)/g, " ") : text;
  const sentences = splitSentences(flowing)
    .map(stemsOf)
    .filter(({ length }) => length > 0);
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
  const [first, above] = [run[0], run.at(-1)];
  if (first === undefined || above === undefined || run.length >= MAX_RUN_BLOCKS) return false;
  const goesOn = kind === "paragraph" && GOES_ON.test(text);
  if (above.kind === "table" || goesOn) return goesOn;
  if (indent > first.indent || kind === "code" || LEADS.test(above.text)) return true;
  return kind === "list" && mayLead(first, above);
}

function mayLead(first: Part, above: Part): boolean {
  if (above.kind === "code") return first.kind === "list";
  return above.kind === "paragraph" && above.text.length <= SHORT_LEAD_CHARACTERS;
}

function isCutOff(run: Part[], mayBeCut: boolean): boolean {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined) return true;
  if (last.kind === "paragraph" && LEADS.test(last.text)) return true;
  if (!mayBeCut || first.kind === "table") return false;
  const isWithin = /^\p{Ll}[\p{Ll}’'-]*[\s,.;:)]/u.test(first.text);
  return first.kind !== "paragraph" || isWithin || GOES_ON.test(first.text);
}

/** A row says what its columns are called, too. */
const MAX_COLUMN_STEMS = 60;

/** A run with a table once for each of its rows; without, once. */
function rowsOf(run: Part[]): Pick<Unit, "parts" | "spans">[] {
  const [start, end] = [run[0]?.start ?? 0, run.at(-1)?.end ?? 0];
  const at = run.findIndex(({ kind }) => kind === "table");
  const table = run[at];
  const [names = "", rule = "", ...rows] = table?.text.split("\n") ?? [];
  if (table === undefined || rows.length === 0) return [{ parts: run, spans: [{ start, end }] }];
  const header = partOf(`${names}\n${rule}`, "table", table.start);
  const columns = header.sentences.flat().slice(0, MAX_COLUMN_STEMS);
  let from = header.end;
  return rows.map((line) => {
    const row = partOf(`\n${line}`, "table", from);
    from = row.end;
    row.sentences = row.sentences.map((stems) => [...columns, ...stems]);
    const spans = [{ start, end: header.end }, row, { start: table.end, end }];
    return { parts: [...run.slice(0, at), header, row, ...run.slice(at + 1)], spans };
  });
}
