/** Longer runs of letters are encoded data, which hardly recurs. */
const MAX_WORD_BYTES = 64;
/** As many as some hundred documents of several fields have; with what is computed, some MB. */
const REMEMBERED_WORDS = 60_000;
const REMEMBERED_BYTES = 12 * REMEMBERED_WORDS;
/** At most half of the slots are used. */
const SLOTS = 1 << 17;
const LAST_SLOT = SLOTS - 1;
/** Words chosen to lie in one row of slots must not slow down those of others. */
const MAX_PROBES = 64;
const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
/** A character of UTF-16 takes three bytes of UTF-8 at most. */
const MAX_BYTES_A_CHARACTER = 3;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** For each byte of UTF-8 the one it stands for in a word: ASCII in lower case; 0 separates words. */
const IN_WORD = Uint8Array.from({ length: 0x100 }, (_, byte) => {
  if (byte >= 0x80) return byte;
  const letter = String.fromCodePoint(byte).toLowerCase();
  return /[a-z0-9]/.test(letter) ? (letter.codePointAt(0) ?? 0) : 0;
});

/** Bytes of the text that is being read; only one is read at a time. */
let bytes = new Uint8Array(1 << 14);

/**
 * What was computed of words, for the next texts: words recur. A hash table that reads words where
 * they stand, because making a string of each takes several times as long as all else. Cleared
 * when full.
 */
export class WordMemory<Value extends number | string | object> {
  readonly #compute: (word: string) => Value;
  /** For each slot the place of its word in the lists, plus one; 0 for none. */
  readonly #places = new Int32Array(SLOTS);
  readonly #hashes = new Int32Array(REMEMBERED_WORDS);
  /** The words' bytes, one word after the other, and where each begins. */
  readonly #spelled = new Uint8Array(REMEMBERED_BYTES);
  readonly #starts = new Int32Array(REMEMBERED_WORDS + 1);
  #values: Value[] = [];

  /** `compute` gets the word in lower case and must not visit another text. */
  constructor(compute: (word: string) => Value) {
    this.#compute = compute;
  }

  /** In order, with repeats. Of ASCII, only letters and digits belong to words. */
  visit(text: string, visitor: (value: Value) => void): void {
    const needed = MAX_BYTES_A_CHARACTER * text.length + 1;
    if (needed > bytes.length) bytes = new Uint8Array(2 * needed);
    const target = bytes;
    const { written: length } = encoder.encodeInto(text, target);
    target[length] = 0;
    let from = 0;
    let hash = FNV_OFFSET;
    for (let at = 0; at <= length; at++) {
      const byte = IN_WORD[target[at] ?? 0] ?? 0;
      if (byte > 0) {
        target[at] = byte;
        hash = Math.imul(hash ^ byte, FNV_PRIME);
        continue;
      }
      if (at > from) visitor(this.#valueOf(target, from, at, hash));
      from = at + 1;
      hash = FNV_OFFSET;
    }
  }

  /** The value of the word from `from` to `to`, exclusive. */
  #valueOf(text: Uint8Array, from: number, to: number, hash: number): Value {
    let slot = slotOf(hash);
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const place = (this.#places[slot] ?? 0) - 1;
      if (place < 0) return this.#add(text.subarray(from, to), hash, slot);
      const value = this.#values[place];
      if (value !== undefined && this.#hashes[place] === hash && this.#is(place, text, from, to)) {
        return value;
      }
      slot = (slot + 1) & LAST_SLOT;
    }
    return this.#compute(decoder.decode(text.subarray(from, to)));
  }

  #is(place: number, text: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[place] ?? 0;
    const length = to - from;
    if ((this.#starts[place + 1] ?? 0) - start !== length) return false;
    for (let at = 0; at < length; at++) {
      if (this.#spelled[start + at] !== text[from + at]) return false;
    }
    return true;
  }

  #add(word: Uint8Array, hash: number, slot: number): Value {
    const value = this.#compute(decoder.decode(word));
    if (word.length > MAX_WORD_BYTES) return value;
    const isFull = this.#isFull(word.length);
    if (isFull) {
      this.#values = [];
      this.#places.fill(0);
    }
    const place = this.#values.length;
    const start = this.#starts[place] ?? 0;
    this.#spelled.set(word, start);
    this.#starts[place + 1] = start + word.length;
    this.#hashes[place] = hash;
    this.#values.push(value);
    this.#places[isFull ? slotOf(hash) : slot] = place + 1;
    return value;
  }

  #isFull(bytes: number): boolean {
    const { length } = this.#values;
    return length === REMEMBERED_WORDS || (this.#starts[length] ?? 0) + bytes > REMEMBERED_BYTES;
  }
}

const slotOf = (hash: number) => (hash ^ (hash >>> 16)) & LAST_SLOT;
