import { longer } from "../../writing/bounded-text.ts";
import { withLink } from "../../writing/link-text.ts";

/** The start of a link's text, its target, and the depth of the group that ends it. */
type Link = { start: number; target: string; depth: number };

const WEB_TARGET = /^(?:https?|mailto):/;

/** The text of a paragraph or cell while it grows. */
export class RtfText {
  #text = "";
  /** The open link; links inside a link are ignored. */
  #link: Link | null = null;

  /** @throws UnreadableDocument when it becomes longer than any paragraph. */
  add(text: string): void {
    this.#text = longer(this.#text, text);
  }

  /** `depth`: how many groups are open. */
  openLink(target: string, depth: number): void {
    if (this.#link !== null || !WEB_TARGET.test(target)) return;
    this.#link = { start: this.#text.length, target, depth };
  }

  closeGroup(depth: number): void {
    if (this.#link?.depth !== depth) return;
    this.#text = this.#linked();
    this.#link = null;
  }

  /** Ends the paragraph or cell; a link that is open goes on in the next. */
  take(): string {
    const text = this.#linked();
    this.#text = "";
    if (this.#link !== null) this.#link.start = 0;
    return text;
  }

  #linked(): string {
    if (this.#link === null) return this.#text;
    return withLink(this.#text, this.#link.start, this.#link.target);
  }
}
