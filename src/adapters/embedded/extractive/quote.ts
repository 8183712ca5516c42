import type { Scored } from "./relevance.ts";
import type { Group, Sentence } from "./sentences.ts";

/** Characters that are quoted of a paragraph, and of a list, table or code. */
const PARAGRAPH_CHARACTERS = 500;
const BLOCK_CHARACTERS = 1_500;
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
};

/**
 * Quotes what answers, whole: sentences that follow each other, or list items and table rows with
 * what introduces them.
 * @param scored of one passage; `best` is one of them.
 */
export function quoteOf(best: Scored, scored: Scored[]): Quote {
  const { group } = best.sentence;
  const quote = new Quoting();
  if (group.kind === "paragraph") {
    const said = sentencesAround(best, scored);
    if (group.introduction !== "") quote.line("", group.introduction);
    quote.sentences(said);
    const isLast = said.at(-1) === group.sentences.at(-1);
    if (isLast && group.introduces !== null) addBlock(quote, group.introduces, best, scored);
  } else {
    if (group.introduction !== "") quote.line("", group.introduction);
    addBlock(quote, group, best, scored);
  }
  return { text: quote.text, stretches: quote.stretches, sentences: quote.quoted };
}

class Quoting {
  text = "";
  readonly stretches: Quote["stretches"] = [];
  readonly quoted: Sentence[] = [];

  line(mark: string, said: string): void {
    this.#add(this.text === "" ? mark : `\n${mark}`, said);
  }

  /** @param text the sentence's, or its beginning. */
  part(sentence: Sentence, text = sentence.text): void {
    this.line(sentence.mark, text);
    this.quoted.push(sentence);
  }

  sentences(said: Sentence[]): void {
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

  #add(before: string, said: string): void {
    this.text += before;
    this.stretches.push({ start: this.text.length, end: this.text.length + said.length });
    this.text += said;
  }
}

/** Words with which a sentence refers to the one before it. */
const REFERS =
  /^["'“„(]?(?:it|its|they|their|them|this|that|these|those|he|she|his|her|such|yes|no|then|however|otherwise|instead|also|so|but|and|or|both|either|the (?:latter|former|same|other)|ja|nein|er|sie|es|diese[rsmn]?|dies|dann|danach|sonst|aber|und|oder|auch|dabei|dazu|dafür|beide|jedoch)\b/i;

/** Sentences in a row: the best one, what it refers to, and others nearby that answer as well. */
function sentencesAround(best: Scored, scored: Scored[]): Sentence[] {
  const { sentences } = best.sentence.group;
  const scores = new Map(scored.map(({ sentence, own }) => [sentence, own]));
  const at = sentences.indexOf(best.sentence);
  // What explains a term goes on to the end of its paragraph.
  const isExplained = best.sentence.group.introduction !== "" && at === 0;
  let [from, to] = [at, at];
  let length = best.sentence.text.length;
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
  const refers = () => REFERS.test(sentences[from]?.text ?? "");
  const answers = (next: number) => {
    const sentence = sentences[next];
    if (sentence === undefined) return false;
    if (isExplained) return true;
    if (best.own === 0) return false;
    const own = scores.get(sentence) ?? 0;
    return own >= best.own * CLOSE_TO_BEST || (next > at && own > 0 && REFERS.test(sentence.text));
  };
  while (answers(to + 1) && take(to + 1));
  while (answers(from - 1) && take(from - 1));
  while (refers() && take(from - 1));
  return sentences.slice(from, to + 1);
}

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
