import { foldSpace } from "./fold-space.ts";

const TARGET = /^(?:https?:|mailto:)[^\s()]+$/;
/**
 * A text is copied for each of its links: in one longer than any paragraph, links become plain
 * text.
 */
const MAX_LINKED_CHARACTERS = 1 << 16;

/**
 * Links the text from `start` on to a target; leaves it as it is where a link would add nothing.
 */
export function withLink(text: string, start: number, target: string): string {
  if (text.length > MAX_LINKED_CHARACTERS || !TARGET.test(target)) return text;
  const label = foldSpace(text.slice(start));
  if (label === "" || label === target) return text;
  const space = /^\s/.test(text.slice(start)) ? " " : "";
  return `${text.slice(0, start)}${space}[${label}](${target})`;
}
