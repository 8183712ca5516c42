import type { Omissions } from "../../../notes.ts";
import { foldSpace } from "../../../writing/fold-space.ts";
import { LinkedText } from "../../../writing/link-text.ts";
import type { XmlAttributes } from "../../xml/xml-stream.ts";
import type { TextStyle } from "../text-styles.ts";
import type { OdfStyles } from "./odf-styles.ts";

/** A span of one style. `isCounted`: it was already counted as hidden text. */
type Span = { isHidden: boolean; isCounted: boolean; height: number };

export type OdfParagraph = {
  text: LinkedText;
  level: number;
  style: TextStyle;
  attributes: XmlAttributes;
  /** The paragraph itself, then each open span. */
  spans: Span[];
};

/** The open paragraphs: notes and text boxes stand inside the paragraph that anchors them. */
export class OdfParagraphs {
  readonly #open: OdfParagraph[] = [];
  readonly #styles: OdfStyles;
  readonly #leftOut: Omissions;

  constructor(styles: OdfStyles, leftOut: Omissions) {
    this.#styles = styles;
    this.#leftOut = leftOut;
  }

  get innermost(): OdfParagraph | undefined {
    return this.#open.at(-1);
  }

  open(attributes: XmlAttributes, level: number): void {
    const style = this.#styles.styleOf("paragraph", attributes["style-name"]);
    const isAnchorHidden = this.innermost?.spans.at(-1)?.isHidden ?? false;
    const isHidden = isAnchorHidden || style.isHidden === true;
    const spans = [{ isHidden, isCounted: false, height: 0 }];
    const outline = level || (style.headingLevel ?? 0);
    this.#open.push({ text: new LinkedText(), level: outline, style, attributes, spans });
  }

  openSpan(attributes: XmlAttributes): void {
    const spans = this.innermost?.spans;
    const around = spans?.at(-1);
    const own = this.#styles.styleOf("text", attributes["style-name"]);
    const isHidden = own.isHidden ?? around?.isHidden ?? false;
    const height = own.height ?? around?.height ?? 0;
    spans?.push({ isHidden, isCounted: isHidden && around?.isCounted === true, height });
  }

  write(text: string): void {
    const paragraph = this.innermost;
    const span = paragraph?.spans.at(-1);
    if (paragraph === undefined) return;
    if (span?.isHidden !== true) paragraph.text.add(text, span?.height);
    else if (!span.isCounted && foldSpace(text) !== "") {
      this.#leftOut.add("hidden text run");
      span.isCounted = true;
    }
  }

  /** Hides the whole paragraph, including what was read of it, because of a field inside. */
  hide(): void {
    const paragraph = this.innermost;
    if (paragraph === undefined) return;
    const isCounted = foldSpace(paragraph.text.take()) !== "";
    if (isCounted) this.#leftOut.add("hidden text run");
    paragraph.spans = paragraph.spans.map(() => ({ isHidden: true, isCounted, height: 0 }));
  }

  close(): OdfParagraph | undefined {
    return this.#open.pop();
  }
}
