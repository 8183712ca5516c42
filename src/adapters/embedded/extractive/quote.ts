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

/** A quotation, and where in it the passage's sentences stand. */
export type Quote = { text: string; stretches: { start: number; end: number }[] };

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
  return { text: quote.text, stretches: quote.stretches };
}

class Quoting {
  text = "";
  readonly stretches: Quote["stretches"] = [];

  line(mark: string, said: string): void {
    this.#add(this.text === "" ? mark : `\n${mark}`, said);
  }

  sentences(said: Sentence[]): void {
    for (const [at, { text }] of said.entries()) {
      if (at === 0) this.line("", text);
      else this.#add(" ", text);
    }
  }

  /** Says that something is left out; no passage holds that mark. */
  leaveOut(): void {
    this.text += "\n…";
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
    const own = scores.get(sentence) ?? 0;
    return own >= best.own * CLOSE_TO_BEST || (next > at && own > 0 && REFERS.test(sentence.text));
  };
  while (best.own > 0 && answers(to + 1) && take(to + 1));
  while (best.own > 0 && answers(from - 1) && take(from - 1));
  while (refers() && take(from - 1));
  return sentences.slice(from, to + 1);
}

function addBlock(quote: Quoting, group: Group, best: Scored, scored: Scored[]): void {
  if (group.kind === "code") {
    for (const { text } of group.sentences) addCode(quote, text);
    return;
  }
  const whole = group.kind === "table" ? Infinity : lengthOf(group.sentences);
  const isAsked = group.sentences.includes(best.sentence);
  const parts =
    whole <= SHORT_LIST_CHARACTERS || !isAsked || isAskedWhole(best)
      ? group.sentences
      : partsThatAnswer(best, scored);
  let left = BLOCK_CHARACTERS;
  for (const { mark, text } of parts) {
    left -= text.length;
    if (left < 0 && quote.stretches.length > 0) {
      quote.leaveOut();
      break;
    }
    quote.line(mark, text);
  }
}

/** A block of code is one sentence of any length: a long one is cut at the end of a line. */
function addCode(quote: Quoting, code: string): void {
  if (code.length <= BLOCK_CHARACTERS) {
    quote.line("", code);
    return;
  }
  const lineEnd = code.lastIndexOf("\n", BLOCK_CHARACTERS);
  const cut = code.slice(0, lineEnd > 0 ? lineEnd : BLOCK_CHARACTERS);
  quote.line("", cut.replace(/\p{Surrogate}$/u, ""));
  quote.leaveOut();
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
