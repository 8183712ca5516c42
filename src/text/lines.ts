/** A generator: a list of the lines of a long text would exceed the memory. */
export function* linesOf(text: string): Generator<string> {
  for (let at = 0; at <= text.length;) {
    const feed = text.indexOf("\n", at);
    const end = feed < 0 ? text.length : feed;
    yield text.slice(at, end);
    at = end + 1;
  }
}
