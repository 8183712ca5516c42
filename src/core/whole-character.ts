/** `at` or the text's end, or one less where it would split a surrogate pair. */
export function wholeCharacterEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  return /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? at - 1 : at;
}
