import { splitSentences } from "../../../text/sentences.ts";
import type { Span } from "./blocks.ts";
import { questionOf } from "./question.ts";
import { byScore } from "./score.ts";
import type { Scored } from "./score.ts";
import { unitsOf } from "./units.ts";
import type { Part, Passage, Unit } from "./units.ts";

export type Material = {
  /** The caller's own words. */
  request: string;
  passages: Passage[];
  /** Whether documents were searched at all. */
  searched: boolean;
};

const NOTHING_FOUND = "The documents do not seem to say.";
const CLOSEST = "The documents do not say it outright; closest is:\n\n";
const NOTHING_TO_QUOTE =
  "There are no passages to answer from, and the embedded model can only quote.";
/** A longer quotation is broken off at a line's end, says so, and is only the closest. */
const MAX_QUOTED_CHARACTERS = 4_000;
const BROKEN_OFF = "\n[…]";

/** Blocks of a passage as they are written; `stretches`: where in the text the passage's own stand. */
export type Quotation = {
  unit: Unit;
  parts: Part[];
  text: string;
  stretches: Span[];
  isCertain: boolean;
};

/** An answer, and where in it the passage's own words stand; `passage`: an index. */
export type Answer = {
  text: string;
  cited: { passage: number; start: number; end: number }[];
};

/** What the best passage says, with its source; or that the documents do not say it. */
export function answerOf(material: Material): Answer {
  const quotation = quotationOf(material);
  if (quotation === null) {
    return { text: material.searched ? NOTHING_FOUND : NOTHING_TO_QUOTE, cited: [] };
  }
  if (!material.searched) return { text: quotation.text, cited: [] };
  const { unit, isCertain, text, stretches } = quotation;
  const before = isCertain ? "" : CLOSEST;
  const source = placeOf(unit, material.passages[unit.passage]?.source ?? "");
  return {
    text: `${before}${text}${source === "" ? "" : `\n\nSource: ${source}`}`,
    cited: stretches.map(({ start, end }) => ({
      passage: unit.passage,
      start: start + before.length,
      end: end + before.length,
    })),
  };
}

/** The answer in words, without its source; null where nothing is quoted. */
export const inWords = (quotation: Quotation | null): string | null =>
  quotation === null ? null : `${quotation.isCertain ? "" : CLOSEST}${quotation.text}`;

/** What is quoted of the passages; without any, of a request that holds its own context. */
export function quotationOf(material: Material): Quotation | null {
  const { searched, request } = material;
  const own = searched ? [] : [{ text: contextIn(request), source: "" }];
  const passages = searched ? material.passages : own;
  const units = passages.flatMap((passage, at) => unitsOf(passage, at));
  const scored = byScore(units, passages, questionOf(request));
  const [best] = scored;
  if (best === undefined) return null;
  const parts = withEqualRows(best, scored);
  const passage = passages[best.unit.passage]?.text ?? "";
  const { text, stretches, isWhole } = quoted(passage, parts);
  return {
    unit: best.unit,
    parts,
    text,
    stretches,
    isCertain: (best.isCertain && isWhole) || !searched,
  };
}

/** A request without the questions that it begins or ends with, or without its first sentence. */
function contextIn(request: string): string {
  const sentences = splitSentences(request);
  const asks = (one: string) => /[?？:：]\s*$/.test(one);
  const from = sentences.findIndex((one) => !asks(one));
  const to = sentences.findLastIndex((one) => !asks(one)) + 1;
  const rest = sentences.slice(Math.max(0, from), to);
  return (rest.length < sentences.length ? rest : rest.slice(1)).join("");
}

/** Rows that answer as well as the best one are quoted with it, in their order. */
function withEqualRows({ unit, score }: Scored, scored: Scored[]): Part[] {
  const { row, parts } = unit;
  if (row === null) return parts;
  const at = parts.indexOf(row);
  const header = parts[at - 1];
  const rows = scored
    .filter((one) => one.score >= score && one.unit.parts[at - 1] === header)
    .flatMap((one) => one.unit.row ?? [])
    .toSorted((a, b) => a.start - b.start);
  return [...parts.slice(0, at), ...rows, ...parts.slice(at + 1)];
}

function quoted(passage: string, parts: Part[]) {
  const spans: (Span & { kind: Part["kind"] })[] = [];
  for (const { start, end, kind } of parts) {
    const before = spans.at(-1);
    if (before !== undefined && passage.slice(before.end, start).trim() === "") before.end = end;
    else spans.push({ start, end, kind });
  }
  let text = "";
  const stretches: Span[] = [];
  for (const { start, end, kind } of spans) {
    if (text !== "") text += kind === "table" ? "\n" : "\n\n";
    stretches.push({ start: text.length, end: text.length + end - start });
    text += passage.slice(start, end);
  }
  if (text.length <= MAX_QUOTED_CHARACTERS) return { text, stretches, isWhole: true };
  const lineEnd = text.lastIndexOf("\n", MAX_QUOTED_CHARACTERS);
  const limit = lineEnd > 0 ? lineEnd : MAX_QUOTED_CHARACTERS;
  const kept = text.slice(0, limit).replace(/\p{Surrogate}$/u, "");
  const within = stretches
    .filter(({ start }) => start < kept.length)
    .map(({ start, end }) => ({ start, end: Math.min(end, kept.length) }));
  return { text: `${kept}${BROKEN_OFF}`, stretches: within, isWhole: false };
}

/** The passage's source, with the heading above the quotation where it does not name it. */
function placeOf({ heading }: Unit, source: string): string {
  const [document = "", ...headings] = source.split(" › ");
  const place = [document, ...headings.map(plainHeading).filter(Boolean)].join(" › ");
  const own = plainHeading(heading);
  return own === "" || place === "" || place.includes(own) ? place : `${place} › ${own}`;
}

const BADGE = /!\[[^[\]]{0,200}\](?:\([^)]{0,1000}\)|\[[^[\]]{0,200}\])?/g;
const LINK = /\[([^[\]]{0,300})\](?:\([^)]{0,1000}\)|\[[^[\]]{0,200}\])/g;
/** A badge whose end was cut off, and tags, whose brackets are quotation marks in a source. */
const CUT_LINK = /!?\[[^\][]{0,300}\]\([^)]{0,1000}$|\[!\[.*$/;
const TAG =
  /['<]\/?(?:a|b|br|center|code|div|em|h[1-6]|i|img|kbd|p|span|strong|su[bp])(?![\w])[^'<>]{0,200}['>]/g;
const MAX_HEADING_CHARACTERS = 200;

const plainHeading = (heading: string): string =>
  heading
    .slice(0, MAX_HEADING_CHARACTERS)
    .replace(/\p{Surrogate}$/u, "")
    .replace(BADGE, "")
    .replace(LINK, "$1")
    .replace(CUT_LINK, "")
    .replace(TAG, "")
    .trim();
