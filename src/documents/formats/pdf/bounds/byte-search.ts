/** Where the word next occurs at or after `from`; -1 if nowhere. */
export function indexOfWord(bytes: Uint8Array, word: string, from: number): number {
  const first = word.charCodeAt(0);
  let at = bytes.indexOf(first, from);
  while (at >= 0 && !isWordAt(bytes, word, at)) at = bytes.indexOf(first, at + 1);
  return at;
}

export function isWordAt(bytes: Uint8Array, word: string, at: number): boolean {
  for (let index = 0; index < word.length; index++) {
    if (bytes[at + index] !== word.charCodeAt(index)) return false;
  }
  return true;
}
