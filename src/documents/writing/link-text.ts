import { foldSpace } from "./fold-space.ts";

const TARGET = /^(?:https?:|mailto:)[^\s()]+$/;
/** In a longer text links become plain text: it is copied for each. */
const MAX_LINKED_CHARACTERS = 1 << 16;

export function withLink(text: string, start: number, target: string): string {
  if (text.length > MAX_LINKED_CHARACTERS || !TARGET.test(target)) return text;
  const label = foldSpace(text.slice(start));
  if (label === "" || label === target) return text;
  const space = /^\s/.test(text.slice(start)) ? " " : "";
  return `${text.slice(0, start)}${space}[${label}](${target})`;
}
