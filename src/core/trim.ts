/** As `/x+$/`, but in linear time: the expression restarts at each character of a run. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function trimStart(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return text.slice(start);
}

export const BLANKS = " \t\r\n\u00a0\u202f";
