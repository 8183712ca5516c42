import { tooMuchText } from "./compact-text.ts";

/** One paragraph or cell: each is copied some times while it is written. */
const MAX_CHARACTERS = 8 << 20;

/** @throws UnreadableDocument when a single paragraph or cell becomes larger than any is. */
export function longer(text: string, more: string): string {
  if (text.length + more.length > MAX_CHARACTERS) throw tooMuchText();
  return text + more;
}
