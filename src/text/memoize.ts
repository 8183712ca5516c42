/** Cleared when full. */
const MAX_WORDS = 20_000;
/** Longer runs of letters are encoded data, which hardly recurs. */
const MAX_LENGTH = 64;

/** Computes a value of a word once: words recur, and a small memory is many times cheaper. */
export function memoize<Value extends string | object>(
  compute: (word: string) => Value,
): (word: string) => Value {
  const values = new Map<string, Value>();
  return (word) => {
    if (word.length > MAX_LENGTH) return compute(word);
    const before = values.get(word);
    if (before !== undefined) return before;
    if (values.size >= MAX_WORDS) values.clear();
    const value = compute(word);
    values.set(word, value);
    return value;
  };
}
