import { scanBlocks } from "../../../documents/chunking/scan-blocks.ts";
import { splitSentences } from "../../../text/sentences.ts";
import { stemsOf } from "./question.ts";

export type Passage = { text: string; source: string };

/** A stretch of a passage, UTF-16 offsets, end excluded. */
export type Span = { start: number; end: number };
/** `indent`: of its first line. */
type Block = Span & { kind: "paragraph" | "list" | "table" | "code"; indent: number };

/** A block, a table's header or one of its rows, as it is written. */
export type Part = Block & { text: string; sentences: string[][] };

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
  return sectionsOf(text).flatMap((section, at) => {
    const heading = section.heading ?? headings.at(-1) ?? "";
    if (SHOWS_USAGE.test(heading)) return [];
    const above = new Set(stemsOf([document, ...headings, heading].join(" ")));
    return runsOf(text, section.blocks).flatMap((run, nth) => {
      const mayBeCut = at === 0 && nth === 0 && section.heading === null;
      const isCut = isCutOff(text, run, mayBeCut);
      return rowsOf(text, run).map(({ parts, spans }) => {
        return { passage, heading, above, isCut, parts, spans };
      });
    });
  });
}

type Section = { heading: string | null; blocks: Block[] };

function sectionsOf(text: string): Section[] {
  const sections: Section[] = [{ heading: null, blocks: [] }];
  for (const { kind, heading, start, end } of scanBlocks(text)) {
    if (kind === "heading") {
      sections.push({ heading, blocks: [] });
      continue;
    }
    const said = text.slice(start, end).trimEnd();
    if (!tells(said, kind, start)) continue;
    const title = titleOf(said, kind);
    if (title !== "") sections.push({ heading: title.trim(), blocks: [] });
    const from = start + title.length;
    const indent = said.slice(title.length).search(/\S/);
    sections.at(-1)?.blocks.push({ kind, start: from, end: start + said.length, indent });
  }
  const [first, ...others] = sections[0]?.blocks ?? [];
  // Where a passage begins, the blanks before its first line are lost.
  if (first?.start === 0)
    first.indent = others.reduce((least, { indent }) => Math.min(least, indent), 80);
  return sections;
}

const titleOf = (said: string, kind: Block["kind"]): string =>
  kind === "paragraph" ? (MANUAL_TITLE.exec(said)?.[0] ?? "") : "";

/** Whether a block is more than links, and the settings of a page, which are for programs. */
function tells(said: string, kind: Block["kind"], start: number): boolean {
  if (kind === "code") return true;
  if (kind === "paragraph" && start === 0 && /^---\s*\n[\w-]+:/.test(said)) return false;
  return /[\p{L}\p{N}]/u.test(said.replace(LINK, "").replace(LINK, ""));
}

/** The blocks of a section that are quoted together. */
function runsOf(text: string, blocks: Block[]): Block[][] {
  const length = (blocks.at(-1)?.end ?? 0) - (blocks[0]?.start ?? 0);
  const tables = blocks.filter(({ kind }) => kind === "table");
  const isShort = length <= SHORT_SECTION_CHARACTERS && tables.length <= 1;
  return blocks.reduce<Block[][]>((runs, block) => {
    const run = runs.at(-1);
    if (run !== undefined && (isShort || belongs(text, run, block))) run.push(block);
    else runs.push([block]);
    return runs;
  }, []);
}

function belongs(text: string, run: Block[], block: Block): boolean {
  const [first, above] = [run[0], run.at(-1)];
  if (first === undefined || above === undefined || run.length >= MAX_RUN_BLOCKS) return false;
  const isParagraph = block.kind === "paragraph";
  const goesOn = isParagraph && GOES_ON.test(text.slice(block.start, block.end));
  if (above.kind === "table" || goesOn) return goesOn;
  const leads = LEADS.test(text.slice(above.start, above.end));
  if (block.indent > first.indent || block.kind === "code" || leads) return true;
  return block.kind === "list" && mayLead(first, above);
}

function mayLead(first: Block, above: Block): boolean {
  if (above.kind === "code") return first.kind === "list";
  return above.kind === "paragraph" && above.end - above.start <= SHORT_LEAD_CHARACTERS;
}

function isCutOff(text: string, run: Block[], mayBeCut: boolean): boolean {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined) return true;
  if (last.kind === "paragraph" && LEADS.test(text.slice(last.start, last.end))) return true;
  if (!mayBeCut || first.kind === "table") return false;
  const begins = text.slice(first.start, first.end);
  const isWithin = /^\p{Ll}[\p{Ll}’'-]*[\s,.;:)]/u.test(begins);
  return first.kind !== "paragraph" || isWithin || GOES_ON.test(begins);
}

/** A row says what its columns are called, too. */
const MAX_COLUMN_STEMS = 60;

/** A run with a table once for each of its rows; without, once. */
function rowsOf(text: string, run: Block[]): Pick<Unit, "parts" | "spans">[] {
  const parts = run.map((block) => partOf(text, block));
  const [start, end] = [run[0]?.start ?? 0, run.at(-1)?.end ?? 0];
  const at = run.findIndex(({ kind }) => kind === "table");
  const table = run[at];
  const lines = table === undefined ? [] : text.slice(table.start, table.end).split("\n");
  if (table === undefined || lines.length < 3) return [{ parts, spans: [{ start, end }] }];
  const [before, after] = [parts.slice(0, at), parts.slice(at + 1)];
  let from = table.start + `${lines[0]}\n${lines[1]}`.length;
  const header = partOf(text, { ...table, end: from });
  const columns = header.sentences.flat().slice(0, MAX_COLUMN_STEMS);
  return lines.slice(2).map((line) => {
    const span = { start: from, end: from + 1 + line.length };
    from = span.end;
    const row = partOf(text, { ...table, ...span });
    row.sentences = row.sentences.map((stems) => [...columns, ...stems]);
    const spans = [{ start, end: header.end }, span, { start: table.end, end }];
    return { parts: [...before, header, row, ...after], spans };
  });
}

function partOf(text: string, block: Block): Part {
  const said = text.slice(block.start, block.end);
  // The lines of a paragraph are no sentences.
  const flowing = block.kind === "paragraph" ? said.replace(/\n[ \t]*(?=\S)/g, " ") : said;
  const sentences = splitSentences(flowing)
    .map(stemsOf)
    .filter(({ length }) => length > 0);
  return { ...block, text: said, sentences };
}
