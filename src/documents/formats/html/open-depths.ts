import { hasOwnFooter, isHeadline, isMain, type OpenElement } from "./html-roles.ts";
import { INLINE_EFFECTS } from "./inline-texts.ts";

/** The numbers of open elements of each kind at the current place of a page. */
export class OpenDepths {
  quote = 0;
  content = 0;
  main = 0;
  /** Open links. Buttons count as links: their text names an action. */
  link = 0;
  inline = 0;
  /** Open elements that may have footers of their own. */
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
