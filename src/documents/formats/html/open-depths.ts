import { hasOwnFooter, isHeadline, isMain } from "./html-roles.ts";
import type { OpenElement } from "./html-roles.ts";
import { INLINE_EFFECTS } from "./inline-texts.ts";

/** How many elements of a kind are open where a page is being read. */
export class OpenDepths {
  quote = 0;
  /** Of those that hold a document's text. */
  content = 0;
  main = 0;
  /** Buttons are counted as links: what they say leads to something. */
  link = 0;
  inline = 0;
  /** Of those that may have footers of their own. */
  own = 0;
  headline = 0;

  count({ name, effect, attributes }: OpenElement, step: 1 | -1): void {
    if (effect === "content") this.content += step;
    if (effect === "quote") this.quote += step;
    if (isMain(name, attributes)) this.main += step;
    if (name === "a" || name === "button") this.link += step;
    if (hasOwnFooter(name)) this.own += step;
    if (isHeadline(name)) this.headline += step;
    if (INLINE_EFFECTS.has(effect)) this.inline += step;
  }
}
