/** One line of text: white space folded, control characters as space. */
export function foldSpace(text: string): string {
  return text.replace(/[\s\u0085\u00a0\u3000]+/gu, " ").trim();
}
