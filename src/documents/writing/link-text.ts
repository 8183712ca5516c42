import { longer } from "./bounded-text.ts";
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

/** The text of a paragraph or cell that is being read, with the links that are open in it. */
export class LinkedText {
  #text = "";
  readonly #links: { start: number; target: string }[] = [];

  get length(): number {
    return this.#text.length;
  }

  /** @throws UnreadableDocument when it becomes longer than any paragraph. */
  add(text: string): void {
    this.#text = longer(this.#text, text);
  }

  openLink(target: string): void {
    this.#links.push({ start: this.length, target });
  }

  closeLink(): void {
    const link = this.#links.pop();
    if (link !== undefined) this.linkFrom(link.start, link.target);
  }

  /** Makes a link of the text from `start` on. */
  linkFrom(start: number, target: string): void {
    if (this.length > MAX_LINKED_CHARACTERS) return;
    this.#text = this.#text.slice(0, start) + linked(this.#text.slice(start), target);
  }

  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }
}
