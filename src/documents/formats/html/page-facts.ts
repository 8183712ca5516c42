import { foldSpace } from "../../writing/fold-space.ts";
import { collectHiddenSelectors, type HiddenSelectors } from "./hidden-styles.ts";
import type { Attributes } from "./html-roles.ts";

export class PageFacts {
  title: string | null = null;
  language: string | null = null;
  readonly hiddenSelectors: HiddenSelectors = new Set();
  #hasTitle = false;
  #reading: "title" | "style" | null = null;
  #text = "";

  open(name: string, attributes: Attributes, isSkipped: boolean): void {
    if (name === "html") this.language ??= attributes["lang"] ?? attributes["xml:lang"] ?? null;
    else if (name === "meta") this.#onMeta(attributes);
    else if (name === "style" || (name === "title" && !this.#hasTitle)) {
      if (isSkipped) return;
      this.#reading = name;
      this.#text = "";
    }
  }

  takes(data: string): boolean {
    if (this.#reading === null) return false;
    this.#text += data;
    return true;
  }

  close(name: string): void {
    if (this.#reading === null || this.#reading !== name) return;
    if (this.#reading === "style") collectHiddenSelectors(this.#text, this.hiddenSelectors);
    else {
      this.title = foldSpace(this.#text) || this.title;
      this.#hasTitle = true;
    }
    this.#reading = null;
  }

  #onMeta({ content, property, "http-equiv": header }: Attributes): void {
    if (content === undefined) return;
    if (header?.toLowerCase() === "content-language") this.language ??= content;
    if (property === "og:title") this.title ??= foldSpace(content) || null;
  }
}
