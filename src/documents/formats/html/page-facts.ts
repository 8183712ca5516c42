import { foldSpace } from "../../writing/fold-space.ts";
import type { Attributes } from "./html-roles.ts";

/** In JSON-LD; a `TechArticle` is documentation. */
const ARTICLE_DATA =
  /"@type"\s{0,9}:\s{0,9}(?:\[\s{0,9})?"(?!Tech)\w{0,40}(?:Article|BlogPosting)"/;

const isDataOfPage = (name: string, { type }: Attributes) =>
  name === "script" && type === "application/ld+json";

const isArticleElement = ({ itemtype = "", class: classes = "" }: Attributes) =>
  /(?<!Tech)Article$|BlogPosting$/.test(itemtype) || /(?:^|\s)h-?entry(?:\s|$)/.test(classes);

export class PageFacts {
  title: string | null = null;
  language: string | null = null;
  /** Whether the page says that it is an article, by Open Graph, schema.org or microformats. */
  isArticle = false;
  #hasTitle = false;
  /** The text of the title or the data that is open. */
  #text: string | null = null;

  open(name: string, attributes: Attributes, isSkipped: boolean): void {
    if (name === "html") this.language ??= attributes["lang"] ?? attributes["xml:lang"] ?? null;
    else if (name === "meta") this.#onMeta(attributes);
    else if (name === "title" && !this.#hasTitle && !isSkipped) this.#text = "";
    else if (isDataOfPage(name, attributes)) this.#text = "";
    this.isArticle ||= isArticleElement(attributes);
  }

  takes(data: string): boolean {
    if (this.#text === null) return false;
    this.#text += data;
    return true;
  }

  close(name: string): void {
    if (this.#text === null || (name !== "title" && name !== "script")) return;
    if (name === "script") this.isArticle ||= ARTICLE_DATA.test(this.#text);
    else this.#takeTitle(this.#text);
    this.#text = null;
  }

  #takeTitle(text: string): void {
    this.title = foldSpace(text) || this.title;
    this.#hasTitle = true;
  }

  #onMeta({ content, property, "http-equiv": header }: Attributes): void {
    if (content === undefined) return;
    if (header?.toLowerCase() === "content-language") this.language ??= content;
    this.isArticle ||= property === "og:type" && content.trim() === "article";
    if (property === "og:title") this.title ??= foldSpace(content) || null;
  }
}
