/** Letters of the Latin script and the like come about four a token, others nearly one each. */
const CHARACTERS_PER_TOKEN = 3.5;
const TOKENS_PER_DENSE_CHARACTER = 0.8;
/** Latin, with its accents, ends here. */
const FIRST_DENSE = 0x250;
/** The second half of a character beyond the first plane. */
const FIRST_LOW_SURROGATE = 0xdc00;
const LAST_LOW_SURROGATE = 0xdfff;

const SOMETHING_DENSE = /[\u0250-\uFFFF]/;

/** A cautious guess without a tokeniser: rather too many than too few. */
export function estimatedTokens(text: string): number {
  const dense = SOMETHING_DENSE.test(text) ? denseIn(text) : 0;
  const sparse = text.length - dense;
  return Math.ceil(sparse / CHARACTERS_PER_TOKEN + dense * TOKENS_PER_DENSE_CHARACTER);
}

/** A loop: a list of a million matches costs a hundred times as much. */
function denseIn(text: string): number {
  let dense = 0;
  for (let at = 0; at < text.length; at++) {
    // oxlint-disable-next-line unicorn/prefer-code-point -- halves of pairs are told apart below
    const code = text.charCodeAt(at);
    const isSecondHalf = code >= FIRST_LOW_SURROGATE && code <= LAST_LOW_SURROGATE;
    if (code >= FIRST_DENSE && !isSecondHalf) dense += 1;
  }
  return dense;
}
