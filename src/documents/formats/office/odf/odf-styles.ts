import type { XmlAttributes } from "../../xml/xml-stream.ts";

type Style = {
  parent: string;
  outline: number;
  isHidden: boolean;
  /** Of text; null: as its parent style or the surrounding text. */
  isHiddenText: boolean | null;
};

/** LibreOffice's built-in heading styles give the level if an imported document set none. */
const HEADING_STYLE = /^Heading_20_([1-6])$/;
const CODE_STYLE = /preformatted|source_20_?code|source.?code/i;
const QUOTE_STYLE = /^(quotations|quote|block_20_quotation|block_20_text)$/i;
const MAX_INHERITANCE = 20;

/** Styles of an OpenDocument file by family and name: names are unique within a family only. */
export class OdfStyles {
  readonly #styles = new Map<string, Style>();
  #current: Style | null = null;

  readonly onOpen: Record<string, (attributes: XmlAttributes) => void> = {
    style: (attributes) => {
      const name = attributes["style:name"] ?? attributes["name"] ?? "";
      const parent = attributes["parent-style-name"] ?? "";
      const outline = Number(attributes["default-outline-level"] ?? 0) || 0;
      this.#current = { parent, outline, isHidden: false, isHiddenText: null };
      this.#styles.set(`${attributes["family"] ?? ""} ${name}`, this.#current);
    },
    "table-properties": ({ display }) => {
      if (this.#current !== null && display === "false") this.#current.isHidden = true;
    },
    "drawing-page-properties": ({ visibility }) => {
      if (this.#current !== null && visibility === "hidden") this.#current.isHidden = true;
    },
    "text-properties": ({ display }) => {
      if (this.#current === null || display === undefined) return;
      this.#current.isHiddenText = display === "none";
    },
  };

  endStyle(): void {
    this.#current = null;
  }

  /** Whether a sheet or a slide is hidden. */
  isHidden(family: "table" | "drawing-page", name = ""): boolean {
    return this.#styles.get(`${family} ${name}`)?.isHidden === true;
  }

  isHiddenText(family: "paragraph" | "text", name: string): boolean | null {
    let style = this.#styles.get(`${family} ${name}`);
    for (let step = 0; style !== undefined && step < MAX_INHERITANCE; step++) {
      if (style.isHiddenText !== null) return style.isHiddenText;
      style = this.#styles.get(`${family} ${style.parent}`);
    }
    return null;
  }

  isCode(paragraphStyle: string): boolean {
    return CODE_STYLE.test(paragraphStyle) || CODE_STYLE.test(this.#parentOf(paragraphStyle));
  }

  isQuote(paragraphStyle: string): boolean {
    return QUOTE_STYLE.test(paragraphStyle) || QUOTE_STYLE.test(this.#parentOf(paragraphStyle));
  }

  outlineOf(paragraphStyle: string): number {
    const parent = this.#parentOf(paragraphStyle);
    if (paragraphStyle === "Title" || parent === "Title") return 1;
    const numbered = HEADING_STYLE.exec(paragraphStyle) ?? HEADING_STYLE.exec(parent);
    const outline = this.#styles.get(`paragraph ${paragraphStyle}`)?.outline ?? 0;
    return outline || Number(numbered?.[1] ?? 0);
  }

  #parentOf(paragraphStyle: string): string {
    return this.#styles.get(`paragraph ${paragraphStyle}`)?.parent ?? "";
  }
}
