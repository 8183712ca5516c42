/** Letters of the Latin script and the like come about four a token, others nearly one each. */
const CHARACTERS_PER_TOKEN = 3.5;
const DENSE = /[\u0250-\u{10FFFF}]/gu;
const TOKENS_PER_DENSE_CHARACTER = 0.8;

/** A cautious guess without a tokeniser: rather too many than too few. */
export function estimatedTokens(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0;
  const sparse = text.length - dense;
  return Math.ceil(sparse / CHARACTERS_PER_TOKEN + dense * TOKENS_PER_DENSE_CHARACTER);
}
