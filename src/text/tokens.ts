import { IS_OPEN_ENDING, KIND_AT, LATIN, SCRIPT_OF_KIND, SPACE } from "./letter-kinds.ts";
import { ratesOf, type Tokenizer, type WordRates } from "./token-rates.ts";

export type { Tokenizer } from "./token-rates.ts";

/** Sums of many weights carry an error of this order at most. */
const ROUNDING_SLACK = 1e-6;
/** The estimate may fall short by so much; by more where the tokenizer is only guessed at. */
const MARGIN = 1.15;
const UNKNOWN_MARGIN = 1.2;
/** More than most tokenizers take, in prose. */
const CAUTIOUS_CHARACTERS_PER_TOKEN = 3.5;
const CAUTIOUS_TOKENS_PER_DENSE_CHARACTER = 0.8;
/** Latin, with its accents, ends here. */
const SOMETHING_DENSE = /[\u0250-\uFFFF]/;
const FIRST_DENSE = 0x250;
const DIGITS = /[0-9]+/g;
/** The second half of a character beyond the first plane. */
const FIRST_LOW_SURROGATE = 0xdc00;
const LAST_LOW_SURROGATE = 0xdfff;
/** Letters of a Latin word beyond this many mostly begin another token. */
const LONG_WORD_LETTERS = 6;

/** About how many tokens text takes in a tokenizer: a whole number, 0 for none. */
export function estimateTokens(text: string, tokenizer: Tokenizer): number {
  return Math.ceil(Math.max(0, tokenWeight(text, tokenizer) - ROUNDING_SLACK));
}

/** As `estimateTokens`, but rather too many than too few: for what must fit a model's window. */
export function cautiousTokens(text: string, tokenizer: Tokenizer): number {
  const estimated = estimateTokens(text, tokenizer);
  if (tokenizer !== "unknown") return Math.ceil(estimated * MARGIN);
  const dense = SOMETHING_DENSE.test(text) ? countDense(text) : 0;
  // Each is a token of its own in SmolLM2, Gemma, Mistral and others.
  const digits = text.length - text.replace(DIGITS, "").length;
  const guessed =
    (text.length - dense - digits) / CAUTIOUS_CHARACTERS_PER_TOKEN +
    dense * CAUTIOUS_TOKENS_PER_DENSE_CHARACTER +
    digits;
  return Math.ceil(Math.max(guessed, estimated * UNKNOWN_MARGIN));
}

/** A loop: a list of a million matches costs a hundred times as much. */
function countDense(text: string): number {
  let dense = 0;
  for (let at = 0; at < text.length; at++) {
    // oxlint-disable-next-line unicorn/prefer-code-point -- halves of pairs are told apart below
    const code = text.charCodeAt(at);
    const isSecondHalf = code >= FIRST_LOW_SURROGATE && code <= LAST_LOW_SURROGATE;
    if (code >= FIRST_DENSE && !isSecondHalf) dense += 1;
  }
  return dense;
}

/**
 * About how many tokens text takes, before rounding: a run of letters of one script has a base
 * cost and a cost per letter, a Latin word at least one token. The parts of a cut text never
 * count less than the whole.
 */
export function tokenWeight(
  text: string,
  tokenizer: Tokenizer,
  from = 0,
  to = text.length,
): number {
  const { letters, runs, word } = ratesOf(tokenizer);
  const { beyond } = word;
  let weight = 0;
  let run = 0;
  let length = 0;
  let kind = 0;
  let script = SPACE;
  for (let at = from; at < to; at++) {
    // oxlint-disable-next-line unicorn/prefer-code-point -- halves of pairs have a kind, too
    const next = KIND_AT[text.charCodeAt(at)] ?? 0;
    const nextScript = SCRIPT_OF_KIND[next] ?? SPACE;
    if (nextScript !== script) {
      weight += runWeight(word, script, run, kind);
      run = runs[nextScript] ?? 0;
      length = 0;
      script = nextScript;
    }
    kind = next;
    run += letters[kind] ?? 0;
    if (++length > LONG_WORD_LETTERS && script === LATIN) run += beyond;
  }
  return weight + runWeight(word, script, run, kind);
}

/** Weight of a run that ends with a letter of this kind. */
function runWeight(word: WordRates, script: number, letters: number, lastKind: number): number {
  if (script !== LATIN) return letters;
  const { least, openEnding } = word;
  const weight = IS_OPEN_ENDING[lastKind] === 1 ? letters + openEnding : letters;
  return weight > least ? weight : least;
}
