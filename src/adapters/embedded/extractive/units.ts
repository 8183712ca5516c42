import { splitSentences } from "../../../text/sentences.ts";
import { sectionsOf } from "./blocks.ts";
import type { Block, Section, Span } from "./blocks.ts";
import { stemsOf } from "./stems.ts";

export type Passage = { text: string; source: string };

/** A block, a table's header or one of its rows, as it is written. */
export type Part = Span & {
  kind: Block["kind"];
  text: string;
  /** The stems of each sentence, item or line, in their order. */
  sentences: string[][];
  /** A list's items. */
  items: Span[];
};

/**
 * What is quoted, never less: a short section, or a block with what leads to it and what takes it
 * up; of a table its header and one row.
 */
export type Unit = {
  passage: number;
  heading: string;
  headings: Set<string>;
  parts: Part[];
  row: Part | null;
  /** Whether its beginning stands in another passage, or what it leads to does. */
  isCut: boolean;
};

/** A section up to this length is quoted whole. */
const SHORT_SECTION_CHARACTERS = 800;
/** A paragraph up to this length is quoted with the list below it, with or without a colon. */
const SHORT_LEAD_CHARACTERS = 400;

/** Words with which a block goes on from the one before it, or takes back what that says. */
const GOES_ON =
  /^[>*_"'“(\s]*(?:it|its|they|their|them|this|that|these|those|he|she|such|then|however|otherwise|instead|also|in (?:this|that|these|those|such) cases?|so|but|and|or|nor|not|except|unless|only|never|do not|don['’]t|the (?:latter|former|same|other)|note|warning|caution|important|attention|er|sie|es|diese[rsmn]?|dies|dann|danach|sonst|aber|und|oder|auch|jedoch|außer|nur|nicht|achtung|hinweis)(?![\p{L}\p{N}_(=.])/iu;
const LEADS = /[:：][*_]{0,3}\s*$/;

/** What may be typed says nothing of what it does. */
const SHOWS_USAGE = /^synopsis$/i;

export function unitsOf({ text, source }: Passage, passage: number): Unit[] {
  const [document = "", ...above] = source.split(" › ");
  const sections = sectionsOf(text).filter((one) => !SHOWS_USAGE.test(one.heading));
  return sections.flatMap((section) => {
    const heading = section.heading === "" ? (above.at(-1) ?? "") : section.heading;
    const headings = new Set(stemsOf(`${document} ${above.join(" ")} ${heading}`));
    const blocks = section.blocks.filter((block) => says(text, block));
    return runsOf(text, blocks).flatMap((run) => {
      const isCut = isCutOff(text, section, run);
      return rowsOf(text, run).map(({ parts, row }) => {
        return { passage, heading, headings, isCut, parts, row };
      });
    });
  });
}

const LINK =
  /!?\[(?:[^[\]]|!?\[[^[\]]{0,200}\](?:\([^)]{0,1000}\)|\[[^[\]]{0,200}\])){0,300}\](?:\([^)]{0,1000}\)|\[[^[\]]{0,200}\]|:.{0,300})/g;
const TAG = /<[^<>]{0,500}>/g;

/** Whether a block is more than pictures, and links that lead elsewhere. */
const says = (text: string, { kind, start, end }: Block): boolean =>
  kind === "code" ||
  kind === "table" ||
  /[\p{L}\p{N}]/u.test(text.slice(start, end).replace(LINK, "").replace(TAG, ""));

/** The blocks of a section that are quoted together. */
function runsOf(text: string, blocks: Block[]): Block[][] {
  const [first] = blocks;
  const last = blocks.at(-1);
  if (first === undefined || last === undefined) return [];
  const tables = blocks.filter(({ kind }) => kind === "table");
  if (last.end - first.start <= SHORT_SECTION_CHARACTERS && tables.length <= 1) return [blocks];
  const runs: Block[][] = [];
  for (const block of blocks) {
    const run = runs.at(-1);
    const above = run?.at(-1);
    if (run !== undefined && above !== undefined && belongs(text, above, block)) run.push(block);
    else runs.push([block]);
  }
  return runs;
}

function belongs(text: string, above: Block, block: Block): boolean {
  if (above.kind === "table") return false;
  const isShort = above.end - above.start <= SHORT_LEAD_CHARACTERS;
  if (LEADS.test(text.slice(above.start, above.end))) return true;
  if (block.kind === "code") return above.kind === "paragraph" || above.kind === "code";
  if (block.kind === "list") return above.kind === "paragraph" && isShort;
  return block.kind === "paragraph" && GOES_ON.test(text.slice(block.start, block.end));
}

function isCutOff(text: string, { isCut, blocks }: Section, run: Block[]): boolean {
  const [first] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined) return true;
  if (last.kind === "paragraph" && LEADS.test(text.slice(last.start, last.end))) return true;
  if (!isCut || first !== blocks[0]) return false;
  const begins = text.slice(first.start, first.end);
  // The rows of a table that goes on stand below its header again.
  if (first.kind === "table") return first.header?.end === first.start + begins.indexOf("\n");
  return (
    first.kind !== "paragraph" ||
    /^\p{Ll}[\p{Ll}’'-]*[\s,.;:)]/u.test(begins) ||
    GOES_ON.test(begins)
  );
}

/** A row says what its columns are called, too. */
const MAX_COLUMN_STEMS = 60;

/** A run with a table once for each of its rows; without, once. */
function rowsOf(text: string, run: Block[]): { parts: Part[]; row: Part | null }[] {
  const table = run.find(({ kind, parts }) => kind === "table" && parts.length > 1);
  const at = table === undefined ? run.length : run.indexOf(table);
  const before = run.slice(0, at).map((block) => partOf(text, block, block.kind, block.parts));
  const after = run.slice(at + 1).map((block) => partOf(text, block, block.kind, block.parts));
  if (table === undefined) return [{ parts: before, row: null }];
  const header = table.header === null ? [] : [partOf(text, table.header, "table")];
  const columns = header.flatMap(({ sentences }) => sentences.flat()).slice(0, MAX_COLUMN_STEMS);
  return table.parts.map((span) => {
    const row = partOf(text, span, "table");
    row.sentences = row.sentences.map((stems) => [...columns, ...stems]);
    return { parts: [...before, ...header, row, ...after], row };
  });
}

function partOf(text: string, span: Span, kind: Block["kind"], parts: Span[] = []): Part {
  const { start, end } = span;
  const said = text.slice(start, end).trimEnd();
  const sentences = kind === "table" ? [stemsOf(said)] : sentencesIn(said, kind).map(stemsOf);
  const items = kind === "list" ? parts : [];
  return { start, end: start + said.length, kind, text: said, sentences, items };
}

/** A link to another place of the document: an entry of its table of contents. */
const LINK_WITHIN = /\[[^[\]]{1,500}\]\(#[^)]{0,1000}\)|<a href="#[^>]{0,200}>.{0,300}?<\/a>/g;

/** The lines of a paragraph are no sentences. */
function sentencesIn(said: string, kind: Block["kind"]): string[] {
  const told = said.replace(LINK_WITHIN, " ");
  return splitSentences(kind === "paragraph" ? told.replace(/\n[ \t]*(?=\S)/g, " ") : told);
}
