import { foldSpace } from "./fold-space.ts";

const TARGET = /^(?:https?:\/\/|mailto:)[^\s()]{1,300}$/i;
/** In a longer text links become plain text: it is copied for each. */
const MAX_LINKED_CHARACTERS = 1 << 16;

export const isLinkTarget = (target: string) => TARGET.test(target);

/** `[label](target)`; only the label where the target says no more or leads to no other document. */
export function linked(text: string, target: string): string {
  const label = foldSpace(text);
  if (!isLinkTarget(target) || label === "" || label === target) return text;
  return `${/^\s/.test(text) ? " " : ""}[${label}](${target})`;
}

/** The same of the text from `start` on. */
export const withLink = (text: string, start: number, target: string) =>
  text.length > MAX_LINKED_CHARACTERS
    ? text
    : text.slice(0, start) + linked(text.slice(start), target);
