import type { Budget } from "../../../core/work/step-budget.ts";
import { BLANKS, trimEnd } from "../../../core/trim.ts";
import { linearPattern } from "../../../text/linear-pattern/linear-pattern.ts";
import { closestIn, labelledAs, sentencesAbout } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { numberOf, textOf } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";
import { stemsOf } from "./sentences.ts";
import { FORMATS, numbersIn } from "./values.ts";

/** The property's name and its schema. */
export type Slot = { key: string; node: SchemaNode };

const aboutOf = ({ node }: Slot) => `${textOf(node["title"])} ${textOf(node["description"])}`;

/** Undefined: the text supports no option. */
export function fillEnum(evidence: Evidence, slot: Slot, options: unknown[]): unknown {
  const labelled = labelledAs(evidence, slot.key);
  const about = [
    ...(labelled === null ? [] : [labelled]),
    ...evidence.answer.map(({ text }) => text),
    ...sentencesAbout(evidence, slot.key, aboutOf(slot)).map(({ text }) => text),
    evidence.text,
  ];
  const wanted = options.map((option) => ({ option, stems: stemsOf(String(option)) }));
  for (const text of about) {
    evidence.budget.spend(options.length + text.length);
    const stems = new Set(stemsOf(text));
    const named = wanted.find(
      (one) => one.stems.length > 0 && one.stems.every((stem) => stems.has(stem)),
    );
    if (named !== undefined) return named.option;
  }
  return undefined;
}

export function fillNumber(evidence: Evidence, slot: Slot, whole: boolean): number | undefined {
  const { node, key } = slot;
  const least = Math.max(
    numberOf(node["minimum"], -Infinity),
    numberOf(node["exclusiveMinimum"], -Infinity),
  );
  const most = Math.min(
    numberOf(node["maximum"], Infinity),
    numberOf(node["exclusiveMaximum"], Infinity),
  );
  const fits = (value: number) => {
    const step = numberOf(node["multipleOf"], 0);
    const stepped = step === 0 || Number.isInteger(value / step);
    const inside = value >= least && value <= most;
    const open = value !== node["exclusiveMinimum"] && value !== node["exclusiveMaximum"];
    return stepped && inside && open && (!whole || Number.isInteger(value));
  };
  const labelled = numbersIn(labelledAs(evidence, key) ?? "").find(({ value }) => fits(value));
  if (labelled !== undefined) return labelled.value;
  const about = sentencesAbout(evidence, key, aboutOf(slot));
  // Inside one row or item every number is a candidate, named or not.
  const sentences = about.length > 0 || evidence.question !== "" ? about : evidence.sentences;
  for (const { text } of sentences) {
    const fitting = (from: string) => numbersIn(from).filter(({ value }) => fits(value));
    const closest = closestIn(evidence, fitting, text, key);
    if (closest !== null) return closest;
  }
  return undefined;
}

const NEGATION =
  /\b(not|no|never|none|without|cannot|neither|nor|nicht|kein\w*|nie|ohne|false)\b|n['’]t\b/i;

export function fillBoolean(evidence: Evidence, slot: Slot): boolean | undefined {
  const labelled = labelledAs(evidence, slot.key);
  if (labelled !== null) return !/^\W*(no|false|off|nein|n)\b/i.test(labelled);
  const named = sentencesAbout({ ...evidence, question: "" }, slot.key, aboutOf(slot))[0];
  const answer = evidence.question.endsWith("?") ? evidence.answer[0] : undefined;
  const about = named ?? answer;
  return about === undefined ? undefined : !NEGATION.test(about.text);
}

export function fillString(evidence: Evidence, slot: Slot): string | undefined {
  const { node, key } = slot;
  const labelled = labelledAs(evidence, key);
  const about = sentencesAbout(evidence, key, aboutOf(slot)).map(({ text }) => text);
  const format = FORMATS[textOf(node["format"])];
  const sources = [...(labelled === null ? [] : [labelled]), ...about];
  if (format !== undefined) {
    for (const text of [...sources, evidence.text]) {
      const closest = closestIn(evidence, format.find, text, key);
      if (closest !== null) return closest;
    }
    return undefined;
  }
  const pattern = textOf(node["pattern"]);
  if (pattern !== "") return matching([...sources, evidence.text], pattern, evidence.budget);
  if (labelled !== null) return trimEnd(labelled, `.;,${BLANKS}`);
  const best = sentencesAbout(evidence, key, aboutOf(slot))[0];
  return best?.text ?? (evidence.answer.map(({ text }) => text).join(" ") || undefined);
}

/** The first word or run of words that the pattern accepts as a whole. */
function matching(texts: string[], source: string, budget: Budget): string | undefined {
  const pattern = linearPattern(source);
  if (!pattern.ok) return undefined;
  for (const text of texts) {
    budget.spend(text.length >>> 2);
    const words = text.split(/[\s,;()"“”]+/u).map((word) => trimEnd(word, ".:!?"));
    const found = words.find((word) => word !== "" && pattern.test(word, budget));
    if (found !== undefined) return found;
  }
  return undefined;
}
