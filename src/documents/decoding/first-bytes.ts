/**
 * Logarithms of the share of characters whose first byte is up to 0xc8, 0xcf, 0xd7 and beyond: GB 2312
 * orders its common characters by Pinyin up to 0xd7, JIS X 0208 by reading up to 0xcf, KS X 1001 has
 * Hangul up to 0xc8.
 */
const FIRST_BYTES = new Map([
  ["gb18030", [-0.46, -1.71, -1.61, -3.5]],
  ["euc-jp", [-0.26, -1.56, -4.6, -4.6]],
  ["euc-kr", [-0.15, -4.6, -5.3, -5.3]],
]);
/** First bytes below are those of signs and kana. */
const FIRST_OF_IDEOGRAPHS = 0xb0;
const FIRST_OF_PAIRS = 0x80;
const ROWS = [0xc8, 0xcf, 0xd7, 0xfe];
/** Added to a score for each unit of likelihood. */
const FIRST_BYTE_WEIGHT = 0.05;
const MAX_LESS_LIKELY = 0.4;

/** How much less the score of each encoding is that is less likely by the first bytes of pairs. */
export function penaltiesOf(sample: Uint8Array): Map<string, number> {
  const counts = [0, 0, 0, 0];
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at] ?? 0;
    if (byte < FIRST_OF_PAIRS) continue;
    const row = ROWS.findIndex((last) => byte <= last);
    if (byte >= FIRST_OF_IDEOGRAPHS) counts[row] = (counts[row] ?? 0) + 1;
    at++;
  }
  const likelihoods = [...FIRST_BYTES].map(([encoding, shares]) => {
    const sum = shares.reduce((total, share, row) => total + share * (counts[row] ?? 0), 0);
    return [encoding, sum] as const;
  });
  const most = Math.max(...likelihoods.map(([, likelihood]) => likelihood));
  return new Map(
    likelihoods.map(([encoding, likelihood]) => [
      encoding,
      Math.min(MAX_LESS_LIKELY, (most - likelihood) * FIRST_BYTE_WEIGHT),
    ]),
  );
}
