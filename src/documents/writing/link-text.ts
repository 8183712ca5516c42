import { appendText } from "./bounded-text.ts";
import { foldSpace } from "./fold-space.ts";
import { markSubscript, markExponent } from "./raised-text.ts";

const TARGET = /^(?:https?:\/\/|mailto:)[^\s()]{1,300}$/i;
/** In a longer text links become plain text: it is copied for each. */
const MAX_LINKED_CHARACTERS = 1 << 16;

export const isLinkTarget = (target: string) => TARGET.test(target);

/** `[label](target)`; only the label where the target says no more or leads to no other document. */
export function linkMarkdown(text: string, target: string): string {
  const label = foldSpace(text);
  if (!isLinkTarget(target) || label === "" || label === target) return text;
  return `${/^\s/.test(text) ? " " : ""}[${label}](${target})`;
}

/** The text of a paragraph or cell that is being read, with the links that are open in it. */
export class LinkedText {
  #text = "";
  /** Text above or below the line, which may go on in the next run. */
  #script = "";
  #height = 0;
  /** The last character: reading it from the text would copy all of it. */
  #last = "";
  readonly #links: { start: number; target: string }[] = [];

  get length(): number {
    this.add("");
    return this.#text.length;
  }

  /** `height`: see `heightOf`. @throws UnreadableDocument when it becomes longer than any paragraph. */
  add(text: string, height = 0): void {
    if (height !== this.#height) {
      this.#endScript(this.#links.at(-1)?.start);
      this.#height = height;
    }
    if (height === 0) this.#append(text);
    else this.#script = appendText(this.#script, text);
  }

  /** A raised number that is all of a link is no power: `[^1](…)` would name a note. */
  #endScript(linkStart: number | undefined): void {
    const inLine = this.#height > 0 ? markExponent : markSubscript;
    this.#append(inLine(this.#script, linkStart === this.#text.length ? "" : this.#last));
    this.#script = "";
    this.#height = 0;
  }

  #append(text: string): void {
    this.#text = appendText(this.#text, text);
    this.#last = text.at(-1) ?? this.#last;
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
    if (target === "") return;
    this.#endScript(start);
    if (this.#text.length > MAX_LINKED_CHARACTERS) return;
    this.#text = this.#text.slice(0, start) + linkMarkdown(this.#text.slice(start), target);
  }

  take(): string {
    this.add("");
    const text = this.#text;
    this.#text = this.#last = "";
    return text;
  }
}
