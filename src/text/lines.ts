/** A generator: a list of the lines of a long text would exceed the memory. */
export function* linesOf(text: string): Generator<string> {
  for (let at = 0; at <= text.length;) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    yield text.slice(at, end);
    at = end + 1;
  }
}
