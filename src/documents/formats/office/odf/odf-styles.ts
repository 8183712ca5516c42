import { heightOf } from "../../../writing/raised-text.ts";
import type { XmlAttributes } from "../../xml/xml-stream.ts";
import { TextStyles, type TextStyle } from "../text-styles.ts";

/** Names are unique within a family only; those of paragraphs are written as Word writes them. */
const idOf = (family: string, name: string) =>
  family === "paragraph" ? name.replaceAll("_20_", " ") : `${family}\0${name}`;

/** Styles of an OpenDocument file by family and name. */
export class OdfStyles {
  readonly #styles = new TextStyles();
  #current: TextStyle | null = null;

  readonly onOpen: Record<string, (attributes: XmlAttributes) => void> = {
    style: ({ family = "", ...attributes }) => {
      const id = idOf(family, attributes["style:name"] ?? attributes["name"] ?? "");
      const parent = attributes["parent-style-name"];
      this.#current = this.#styles.define(id, {
        name: id,
        basedOn: parent === undefined ? null : idOf(family, parent),
        headingLevel: Number(attributes["default-outline-level"]) || null,
      });
    },
    "table-properties": ({ display }) => this.#setHidden(display === "false" || null),
    "drawing-page-properties": ({ visibility }) => this.#setHidden(visibility === "hidden" || null),
    "text-properties": ({ display, "text-position": position }) => {
      this.#setHidden(display ? display === "none" : null);
      if (this.#current !== null && position) this.#current.height = heightOf(position);
    },
  };

  /** Null changes nothing. */
  #setHidden(isHidden: boolean | null): void {
    if (this.#current !== null && isHidden !== null) this.#current.isHidden = isHidden;
  }

  endStyle(): void {
    this.#current = null;
  }

  styleOf(family: "paragraph" | "text" | "table" | "drawing-page", name = ""): TextStyle {
    return this.#styles.styleOf(idOf(family, name));
  }
}
