/** Cleared when full. */
const MAX_WORDS = 20_000;
/** Longer runs of letters are encoded data, which hardly recurs. */
const MAX_LENGTH = 64;

/** The same of a word, computed once: words recur, and a small memory is many times cheaper. */
export function remembered<Value extends string | object>(
  compute: (word: string) => Value,
): (word: string) => Value {
  const known = new Map<string, Value>();
  return (word) => {
    if (word.length > MAX_LENGTH) return compute(word);
    const before = known.get(word);
    if (before !== undefined) return before;
    if (known.size >= MAX_WORDS) known.clear();
    const value = compute(word);
    known.set(word, value);
    return value;
  };
}
