import { textOf } from "../extracted-document.ts";
import { foldSpace } from "../fold-space.ts";
import { readPage } from "../html.ts";

const HTML = /<(p|br|div|ul|ol|li|h[1-6]|a|b|i|em|strong|span|img|table|blockquote|pre)\b[^<>]*>/i;

/** Feeds carry HTML as text; its headings stand below the feed's own. */
export class EmbeddedHtml {
  hiddenElements = 0;

  /** The same text where it holds no HTML. */
  toMarkdown(text: string): string {
    if (!HTML.test(text)) return text;
    const { extraction, hiddenElements } = readPage(text);
    this.hiddenElements += hiddenElements;
    return textOf(extraction).replace(/^(#{1,4}) /gm, "##$1 ");
  }

  /** On one line, where it holds HTML. */
  inLine(text: string): string {
    return HTML.test(text) ? foldSpace(this.toMarkdown(text)) : text;
  }
}
