/** Porter's stemmer leaves these alone, so that most words are known to be others unstemmed. */
const KEPT_LENGTH = 2;
const ASCII = 128;
/** How much is known of how a word of ASCII begins: two characters, or up to four. */
const LOOSE = 2;
const STRICT = 1;

const pairOf = (first: number, second: number) => first * ASCII + second;

/** Codes of two characters; 0 from `end` on. */
const codesOf = (text: string, at: number, end: number): [number, number] => [
  at < end ? text.charCodeAt(at) : 0,
  at + 1 < end ? text.charCodeAt(at + 1) : 0,
];

/** How words begin that have one of some stems, or share its first letters. */
export class Beginnings {
  readonly #all: ReadonlySet<string>;
  /** Of ASCII words, one for each pair of codes, of which the second may be 0. */
  readonly #first = new Uint8Array(ASCII * ASCII);
  readonly #second = new Uint8Array(ASCII * ASCII);

  constructor(stems: string[]) {
    this.#all = new Set(stems.map((stem) => stem.slice(0, KEPT_LENGTH)));
    for (const stem of stems) this.#add(stem);
  }

  /** Of a word's first four characters the stemmer changes at most the stem's last one. */
  #add(stem: string): void {
    const [first, second] = codesOf(stem, 0, Math.min(KEPT_LENGTH, stem.length));
    if (first >= ASCII || second >= ASCII) return;
    const end = Math.min(2 * KEPT_LENGTH, stem.length - 1);
    const [third, fourth] = codesOf(stem, KEPT_LENGTH, end);
    const pair = pairOf(first, second);
    if (third === 0 || third >= ASCII || fourth >= ASCII) this.#first[pair] = LOOSE;
    else {
      this.#first[pair] = Math.max(this.#first[pair] ?? 0, STRICT);
      const from = pairOf(third, fourth);
      this.#second.fill(1, from, fourth === 0 ? pairOf(third + 1, 0) : from + 1);
    }
  }

  has(word: string): boolean {
    return this.#all.has(word.slice(0, KEPT_LENGTH));
  }

  /** The same by the codes of an ASCII word's first four characters, 0 where it has none. */
  hasCodes(first: number, second: number, third: number, fourth: number): boolean {
    const known = this.#first[pairOf(first, second)];
    return known === LOOSE || (known === STRICT && this.#second[pairOf(third, fourth)] === 1);
  }
}
