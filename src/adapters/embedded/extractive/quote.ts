import { instructs } from "./priors.ts";
import type { Question } from "./question.ts";
import type { Scored } from "./relevance.ts";
import { isAsked, openingOf } from "./sections.ts";
import type { Group, Sentence } from "./sentences.ts";

/** Characters that are quoted of a paragraph, and of a list, table or code. */
const PARAGRAPH_CHARACTERS = 500;
const BLOCK_CHARACTERS = 1_500;
/** Of how something is done, what follows in the paragraph is quoted up to this length. */
const SHORT_PARAGRAPH_CHARACTERS = 300;
/** A list up to this long is quoted whole; of a longer one, what answers. */
const SHORT_LIST_CHARACTERS = 600;
/** Sentences with a score near the best one are part of the answer. */
const CLOSE_TO_BEST = 0.7;
const ITEMS_AT_MOST = 5;

/** A quotation, where in it the passage's sentences stand, and these themselves. */
export type Quote = {
  text: string;
  stretches: { start: number; end: number }[];
  sentences: Sentence[];
  /** What is shown in part only, whole. */
  cut: string[];
};

/**
 * Quotes what answers, whole: sentences that follow each other, or list items and table rows with
 * what introduces them.
 * @param scored of one passage; `best` is one of them.
 */
export function quoteOf(best: Scored, scored: Scored[], question: Question): Quote {
  const { group } = best.sentence;
  const quote = new Quoting();
  const opening = isAsked(group, best.sentence, question) ? openingOf(group.section, question) : [];
  if (opening.includes(group)) addOpening(quote, opening, { best, scored, question });
  else if (group.kind === "paragraph") addParagraph(quote, best, scored, question);
  else {
    if (group.introduction === "") addBefore(quote, group);
    else quote.line("", group.introduction);
    addBlock(quote, group, best, scored);
  }
  return { text: quote.text, stretches: quote.stretches, sentences: quote.quoted, cut: quote.cut };
}

type Asked = { best: Scored; scored: Scored[]; question: Question };

/** The beginning of a section, whose heading asks the question, and what answers best. */
function addOpening(quote: Quoting, opening: Group[], { best, scored, question }: Asked): void {
  const { group: ofBest } = best.sentence;
  const around = ofBest.kind === "paragraph" ? sentencesAround(best, scored, question) : [];
  // What answers best is quoted in any case, and the beginning as far as there is room for both.
  let left = PARAGRAPH_CHARACTERS - lengthOf(around);
  for (const group of opening) {
    if (group.kind !== "paragraph") {
      addBlock(quote, group, best, scored);
      continue;
    }
    const beginning: Sentence[] = [];
    for (const sentence of group.sentences) {
      left -= around.includes(sentence) ? 0 : sentence.text.length + 1;
      if (left < 0) break;
      beginning.push(sentence);
    }
    const kept = group === ofBest && !beginning.includes(best.sentence) ? around : beginning;
    if (kept.length === 0) continue;
    if (group.introduction !== "") quote.line("", group.introduction);
    quote.sentences(kept, opening.at(-1) !== group);
  }
}

function addParagraph(quote: Quoting, best: Scored, scored: Scored[], question: Question): void {
  const { group } = best.sentence;
  const said = sentencesAround(best, scored, question);
  if (group.introduction !== "") quote.line("", group.introduction);
  const isLast = said.at(-1) === group.sentences.at(-1);
  quote.sentences(said, isLast && group.introduces !== null);
  if (!isLast) return;
  if (group.introduces !== null) addBlock(quote, group.introduces, best, scored);
  else if (question.form === "how") addBelow(quote, best, scored, question);
}

/** Code directly below a paragraph shows how it is done; a list does below a mere description. */
function addBelow(quote: Quoting, best: Scored, scored: Scored[], question: Question): void {
  const { group } = best.sentence;
  const { groups } = group.section;
  const below = groups[groups.indexOf(group) + 1];
  if (below === undefined) return;
  const length = lengthOf(below.sentences);
  const isCode = below.kind === "code";
  const isList = below.kind === "list" && length <= SHORT_LIST_CHARACTERS;
  if (isCode || (isList && !instructs(best.sentence, question)))
    addBlock(quote, below, best, scored);
}

/** A short paragraph with which a section begins says what the list or code below it is. */
function addBefore(quote: Quoting, group: Group): void {
  const { groups, isWhole } = group.section;
  const [above, below] = groups;
  if (group.kind === "table" || !isWhole || below !== group || above?.kind !== "paragraph") return;
  if (lengthOf(above.sentences) <= SHORT_PARAGRAPH_CHARACTERS)
    quote.sentences(above.sentences, true);
}

class Quoting {
  text = "";
  readonly stretches: Quote["stretches"] = [];
  readonly quoted: Sentence[] = [];
  readonly cut: string[] = [];

  line(mark: string, said: string): void {
    this.#add(this.text === "" ? mark : `\n${mark}`, said);
  }

  /** @param text the sentence's, or its beginning. */
  part(sentence: Sentence, text = sentence.text): void {
    this.line(sentence.mark, text);
    this.quoted.push(sentence);
    if (text.length < sentence.text.length) this.cut.push(sentence.text);
  }

  /** Without a last sentence that only leads to what is not quoted, where others remain. */
  sentences(all: Sentence[], isFollowed = false): void {
    const leads = !isFollowed && all.length > 1 && LEADS.test(all.at(-1)?.text ?? "");
    const said = leads ? all.slice(0, -1) : all;
    for (const [at, { text }] of said.entries()) {
      if (at === 0) this.line("", text);
      else this.#add(" ", text);
    }
    this.quoted.push(...said);
  }

  /** Says that something is left out; no passage holds that mark. */
  leaveOut(): void {
    this.text += "\n…";
  }

  /** What stood between two stanzas. */
  skipLine(): void {
    this.text += "\n";
  }

  /** What never ends, such as a text without full stops, is cut after a word. */
  #add(before: string, said: string): void {
    const kept = firstWords(said, BLOCK_CHARACTERS);
    this.text += before;
    this.stretches.push({ start: this.text.length, end: this.text.length + kept.length });
    this.text += kept.length < said.length ? `${kept} …` : kept;
    if (kept.length < said.length) this.cut.push(said);
  }
}

function firstWords(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const wordEnd = text.lastIndexOf(" ", limit);
  return text.slice(0, wordEnd > limit / 2 ? wordEnd : limit).replace(/\p{Surrogate}$/u, "");
}

export const LEADS = /[:：][*_]{0,3}$/;

/** Words with which a sentence refers to the one before it. */
export const REFERS =
  /^["'“„(]?(?:it|its|they|their|them|this|that|these|those|he|she|his|her|such|yes|no|then|however|otherwise|instead|also|to do (?:so|this|that)|in (?:this|that|these|those|such) cases?|so|but|and|or|both|either|the (?:latter|former|same|other)|ja|nein|er|sie|es|diese[rsmn]?|dies|dann|danach|sonst|aber|und|oder|auch|dabei|dazu|dafür|beide|jedoch)\b/i;

/** `If the script exits with this code`: which one, the sentence before says. */
const REFERS_INSIDE =
  /\b(?:this|these|that|those)\s(?:argument|code|command|field|flag|limit|mode|number|option|parameter|property|setting|value|variable)s?\b/i;

const refersBack = (text: string): boolean => REFERS.test(text) || REFERS_INSIDE.test(text);

/** Sentences in a row: the best one, what it refers to, and others nearby that answer as well. */
function sentencesAround(best: Scored, scored: Scored[], { form }: Question): Sentence[] {
  const { sentences } = best.sentence.group;
  const scores = new Map(scored.map(({ sentence, own }) => [sentence, own]));
  const at = sentences.indexOf(best.sentence);
  let { length } = best.sentence.text;
  // What explains a term goes on to the end of its paragraph.
  const isExplained = best.sentence.group.introduction !== "" && at === 0;
  const isShort = lengthOf(sentences) <= SHORT_PARAGRAPH_CHARACTERS;
  // What a section begins with is often its heading in other words.
  const isOpening = at === 0 && length < OPENING_CHARACTERS && beginsSection(best.sentence.group);
  let [from, to] = [at, at];
  const take = (next: number) => {
    const sentence = sentences[next];
    if (
      sentence === undefined ||
      !scores.has(sentence) ||
      length + sentence.text.length > PARAGRAPH_CHARACTERS
    )
      return false;
    length += sentence.text.length + 1;
    from = Math.min(from, next);
    to = Math.max(to, next);
    return true;
  };
  const refers = () => refersBack(sentences[from]?.text ?? "");
  const answers = (next: number) => {
    const sentence = sentences[next];
    if (sentence === undefined) return false;
    if (isExplained) return true;
    if (next > at && isShort && (form === "how" || isOpening)) return true;
    if (best.own === 0) return false;
    const own = scores.get(sentence) ?? 0;
    return own >= best.own * CLOSE_TO_BEST || (next > at && own > 0 && REFERS.test(sentence.text));
  };
  while (answers(to + 1) && take(to + 1));
  while (answers(from - 1) && take(from - 1));
  while (refers() && take(from - 1));
  return sentences.slice(from, to + 1);
}

const OPENING_CHARACTERS = 40;

const beginsSection = (group: Group): boolean =>
  group.section.isWhole && group.section.groups[0] === group;

function addBlock(quote: Quoting, group: Group, best: Scored, scored: Scored[]): void {
  const isAsked = group.sentences.includes(best.sentence);
  if (group.kind === "code") {
    addCode(quote, isAsked ? partsThatAnswer(best, scored) : group.sentences);
    return;
  }
  const whole = group.kind === "table" ? Infinity : lengthOf(group.sentences);
  const parts =
    whole <= SHORT_LIST_CHARACTERS || !isAsked || isAskedWhole(best)
      ? group.sentences
      : partsThatAnswer(best, scored);
  let left = BLOCK_CHARACTERS;
  for (const part of parts) {
    left -= part.text.length;
    if (left < 0 && quote.stretches.length > 0) {
      quote.leaveOut();
      break;
    }
    quote.part(part);
  }
}

/** Stanzas of code, of any length: what is too long is cut at the end of a line. */
function addCode(quote: Quoting, stanzas: Sentence[]): void {
  let left = BLOCK_CHARACTERS;
  let before = stanzas[0]?.position ?? 0;
  for (const stanza of stanzas) {
    if (left <= 0) return quote.leaveOut();
    if (stanza !== stanzas[0]) {
      if (stanza.position === before + 1) quote.skipLine();
      else quote.leaveOut();
    }
    const kept = firstLines(stanza.text, left);
    quote.part(stanza, kept);
    if (kept.length < stanza.text.length) return quote.leaveOut();
    left -= kept.length;
    before = stanza.position;
  }
}

function firstLines(code: string, limit: number): string {
  if (code.length <= limit) return code;
  const lineEnd = code.lastIndexOf("\n", limit);
  return code.slice(0, lineEnd > 0 ? lineEnd : limit).replace(/\p{Surrogate}$/u, "");
}

/** The question asks for what the list's introduction names, not for one of its items. */
function isAskedWhole({ sentence, own }: Scored): boolean {
  return sentence.group.kind === "list" && sentence.group.introduction !== "" && own < 0.3;
}

/** The items or rows that answer as well as the best one, in their order. */
function partsThatAnswer(best: Scored, scored: Scored[]): Sentence[] {
  const close = scored.filter(
    ({ sentence, score }) => sentence.group === best.sentence.group && score >= best.score * 0.9,
  );
  const chosen = close.slice(0, ITEMS_AT_MOST).map(({ sentence }) => sentence);
  return chosen.toSorted((a, b) => a.position - b.position);
}

const lengthOf = (sentences: Sentence[]) =>
  sentences.reduce((sum, { text }) => sum + text.length + 1, 0);
