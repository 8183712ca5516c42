import { foldSpace } from "./fold-space.ts";

const TARGET = /^(?:https?:|mailto:)[^\s()]+$/;

/** Text whose end, from `start` on, leads somewhere; as it is where a link would say no more. */
export function withLink(text: string, start: number, target: string): string {
  const label = foldSpace(text.slice(start));
  if (!TARGET.test(target) || label === "" || label === target) return text;
  const space = /^\s/.test(text.slice(start)) ? " " : "";
  return `${text.slice(0, start)}${space}[${label}](${target})`;
}
