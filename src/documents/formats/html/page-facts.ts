import { foldSpace } from "../../writing/fold-space.ts";
import type { Attributes } from "./html-roles.ts";

export class PageFacts {
  title: string | null = null;
  language: string | null = null;
  #hasTitle = false;
  /** The text of the title that is open. */
  #text: string | null = null;

  open(name: string, attributes: Attributes, isSkipped: boolean): void {
    if (name === "html") this.language ??= attributes["lang"] ?? attributes["xml:lang"] ?? null;
    else if (name === "meta") this.#onMeta(attributes);
    else if (name === "title" && !this.#hasTitle && !isSkipped) this.#text = "";
  }

  takes(data: string): boolean {
    if (this.#text === null) return false;
    this.#text += data;
    return true;
  }

  close(name: string): void {
    if (this.#text === null || name !== "title") return;
    this.title = foldSpace(this.#text) || this.title;
    this.#hasTitle = true;
    this.#text = null;
  }

  #onMeta({ content, property, "http-equiv": header }: Attributes): void {
    if (content === undefined) return;
    if (header?.toLowerCase() === "content-language") this.language ??= content;
    if (property === "og:title") this.title ??= foldSpace(content) || null;
  }
}
