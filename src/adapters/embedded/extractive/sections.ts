import type { Source } from "./document-names.ts";
import { isKindOfThing } from "./question.ts";
import type { Question } from "./question.ts";
import type { Group, Section, Sentence } from "./sentences.ts";
import { sharesPrefix, stemOfForm } from "./stems.ts";

const MAX_NAMED = 2;

/** How many names in a document's path the question names, 0 to 2, and 1 more where it spells one. */
export const timesNamed = (source: Source, question: Question): number =>
  namesAsked(source, question).times;

/** The stems of these names. */
export const namedStems = (source: Source, question: Question): Set<string> =>
  namesAsked(source, question).stems;

/** The stems of a question without the names of the document, unless nothing else is left. */
export function specialStems({ source }: Sentence, question: Question): string[] {
  const { stems, spelt } = namesAsked(source, question);
  const special = question.terms.filter(({ stem }) => !stems.has(stem) && !spelt.has(stem));
  return (special.length > 0 ? special : question.terms).map(({ stem }) => stem);
}

type Named = { times: number; stems: Set<string>; spelt: Set<string> };
const named = new WeakMap<Question, Map<Source, Named>>();

function namesAsked(source: Source, question: Question): Named {
  const known = named.get(question) ?? new Map<Source, Named>();
  named.set(question, known);
  const before = known.get(source);
  if (before !== undefined) return before;
  const asked = new Set(question.terms.filter(({ weight }) => weight >= 1).map(({ stem }) => stem));
  const names = source.names.filter((stems) => stems.every((stem) => asked.has(stem)));
  const spelt = source.spelt.filter((one) => question.spelt.includes(` ${one.join(" ")} `));
  const found = {
    times: Math.min(MAX_NAMED, names.length) + (spelt.length > 0 ? 1 : 0),
    stems: new Set(names.flat()),
    spelt: new Set(spelt.flat().map(stemOfForm)),
  };
  known.set(source, found);
  return found;
}

/** The share of what is asked for that a heading must name … */
const MIN_ASKED = 0.65;
/** … and the share of the heading that must be asked for. */
const MIN_OF_HEADING = 0.65;

/** Whether a passage holds a section from its beginning whose heading asks what the question does. */
export function isAsked({ section }: Group, { source }: Sentence, question: Question): boolean {
  const known = section.asked.get(question);
  if (known !== undefined) return known;
  const asked = section.isWhole && isAbout(section.told, question, namedStems(source, question));
  section.asked.set(question, asked);
  return asked;
}

/** The document's name says nothing of the section, the kind of thing (`option`) little. */
function isAbout(told: Set<string>, { terms }: Question, names: Set<string>): boolean {
  const carrying = terms.filter(({ stem, weight }) => weight >= 1 && !isKindOfThing(stem));
  const special = carrying.filter(({ stem }) => !names.has(stem));
  const topic = special.length > 0 ? special : carrying;
  const heading = [...told].filter(
    (stem) => !isKindOfThing(stem) && (special.length === 0 || !names.has(stem)),
  );
  if (topic.length === 0 || heading.length === 0) return false;
  const isIn = (stem: string, stems: Iterable<string>) =>
    [...stems].some((one) => one === stem || sharesPrefix(one, stem));
  const all = terms.map(({ stem }) => stem);
  const sum = (some: typeof topic) => some.reduce((total, { weight }) => total + weight, 0);
  const held = sum(topic.filter(({ stem }) => isIn(stem, told)));
  const fitting = heading.filter((stem) => isIn(stem, all)).length;
  return held >= sum(topic) * MIN_ASKED && fitting >= heading.length * MIN_OF_HEADING;
}

/** Characters of prose after which no further paragraph of a section is quoted. */
const ENOUGH_CHARACTERS = 250;
const ENOUGH_TO_EXPLAIN_CHARACTERS = 100;

/**
 * The beginning of a section: its paragraphs up to the first code, list or table, which belongs to
 * it where the question asks how something is done, or a paragraph introduces it.
 */
export function openingOf({ groups }: Section, { form }: Question): Group[] {
  const opening: Group[] = [];
  let length = 0;
  for (const group of groups) {
    const [first] = opening;
    if (group.kind !== "paragraph") {
      const isLed = group.introduction !== "" || first === undefined || form === "how";
      if (isLed) opening.push(group);
      // A list or table with which a section begins is explained below it.
      if (first === undefined && group.kind !== "code") continue;
      break;
    }
    const enough = form === "how" ? ENOUGH_CHARACTERS : ENOUGH_TO_EXPLAIN_CHARACTERS;
    if (length > enough && opening.at(-1)?.introduces === null) break;
    opening.push(group);
    length += group.sentences.reduce((sum, { text }) => sum + text.length + 1, 0);
  }
  return opening;
}
