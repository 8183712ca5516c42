import { blocksOf, type Block } from "../../../documents/chunking/scan-blocks.ts";
import { splitSentences } from "../../../text/sentences.ts";
import { NEGATION, stemsOf } from "./question.ts";

export type Passage = { text: string; source: string };

/** A block with the blank lines after it; the stems of its sentences or rows. */
export type Part = {
  kind: Block["kind"];
  text: string;
  sentences: string[][];
  /** Indentation of its first line; where a passage begins, its blanks are lost. */
  indent: number;
};

/** The smallest quotation: a short section, or a block with its introduction and continuation. */
export type Unit = {
  passage: number;
  heading: string;
  /** Stems of the document's name and of all headings. */
  above: string[];
  parts: Part[];
  /** Whether its beginning stands in another passage, or what it leads to does. */
  isCut: boolean;
};

/** A section up to this length is quoted whole. */
const SHORT_SECTION_CHARACTERS = 800;
/** Beyond these a source or a run of blocks is not what it seems. */
const MAX_SOURCE_CHARACTERS = 2_000;
const MAX_RUN_BLOCKS = 100;

/** Words with which a block goes on from the one before it, or takes back what that says. */
const GOES_ON =
  /^[>*_"'“(\s]*(?:it|its|they|their|them|this|that|these|those|he|she|such|then|however|otherwise|instead|also|in (?:this|that|these|those|such) cases?|so|but|and|or|nor|not|except|unless|only|never|do not|don['’]t|the (?:latter|former|same|other)|note|warning|caution|important|attention|er|sie|es|diese[rsmn]?|dies|dann|danach|sonst|aber|und|oder|auch|jedoch|außer|nur|nicht|achtung|hinweis)(?![\p{L}\p{N}_(=.])/iu;
const LEADS = /[:：][*_]{0,3}\s*$/;
/** Settings of a page, a manual's synopsis, pictures and links to elsewhere say nothing. */
const LINK =
  /^---\n[\w-]+:[^]*\n---$|^SYNOPSIS\n[^]*$|\[?!?\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\]|:.*)(?:\]\([^()]*\))?|<[^<>]{0,500}>/g;

export function unitsOf({ text, source }: Passage, passage: number): Unit[] {
  const [document = "", ...headings] = source.slice(0, MAX_SOURCE_CHARACTERS).split(" › ");
  return sectionsOf(text).flatMap(({ heading: own, parts: all }) => {
    const heading = own ?? headings.at(-1) ?? "";
    const above = [...new Set(stemsOf([document, ...headings, heading].join(" ")))];
    return runsOf(all).map((run, nth) => {
      const isCut = isCutOff(run, own === null && nth === 0);
      return { passage, heading, above, parts: run, isCut };
    });
  });
}

type Section = { heading: string | null; parts: Part[] };

/** A heading of null: what stands before the first. */
function sectionsOf(text: string): Section[] {
  const sections: Section[] = [{ heading: null, parts: [] }];
  for (const { kind, heading, start, end } of blocksOf(text)) {
    const block = text.slice(start, end);
    if (kind === "heading") sections.push({ heading, parts: [] });
    else if (kind === "code" || /[\p{L}\p{N}]/u.test(block.trimEnd().replace(LINK, ""))) {
      // The lines of a paragraph are no sentences.
      const flowing = kind === "paragraph" ? block.replace(/\n[ \t]*(?=\S)/g, " ") : block;
      const sentences = splitSentences(flowing).map(stemsOf);
      const indent = start === 0 ? Infinity : block.search(/\S/);
      sections.at(-1)?.parts.push({ kind, text: block, sentences, indent });
    }
  }
  return sections;
}

/** The blocks of a section that are quoted together. */
function runsOf(parts: Part[]): Part[][] {
  const length = parts.reduce((sum, { text }) => sum + text.length, 0);
  const isShort = length <= SHORT_SECTION_CHARACTERS;
  const runs: Part[][] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    if (run !== undefined && (isShort || isPartOfRun(run, part))) run.push(part);
    else runs.push([part]);
  }
  return runs;
}

function isPartOfRun(run: Part[], part: Part): boolean {
  const above = run.at(-1);
  if (above === undefined || run.length >= MAX_RUN_BLOCKS) return false;
  // `Works when: …`, then `Does not work when: …`
  const takesBack = above.kind === "list" && LEADS.test(part.text) && NEGATION.test(part.text);
  if (part.kind === "paragraph" && (takesBack || GOES_ON.test(part.text))) return true;
  const isDeeper = part.indent > (run[0]?.indent ?? 0);
  return isDeeper || ["code", "list"].includes(part.kind) || LEADS.test(above.text);
}

function isCutOff(run: Part[], mayBeCut: boolean): boolean {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || (last?.kind === "paragraph" && LEADS.test(last.text))) return true;
  if (!mayBeCut || first.kind === "table") return false;
  const isWithin = /^\p{Ll}[\p{Ll}’'-]*[\s,.;:)]/u.test(first.text);
  return first.kind !== "paragraph" || isWithin || GOES_ON.test(first.text);
}
