import { foldSpace } from "../../writing/fold-space.ts";
import type { Attributes } from "./html-roles.ts";

/** In JSON-LD, and as the type of an item; a `TechArticle` is documentation. */
const ARTICLE = {
  inData: /"@type"\s{0,9}:\s{0,9}(?:\[\s{0,9})?"(?!Tech)\w{0,40}(?:Article|BlogPosting)"/,
  ofItem: /\b(?!Tech)\w{0,40}(?:Article|BlogPosting)$/,
};
const LIST = {
  inData:
    /"@type"\s{0,9}:\s{0,9}(?:\[\s{0,9})?"(?:QAPage|DiscussionForumPosting|ItemList|CollectionPage)"/,
  ofItem: /\b(?:QAPage|DiscussionForumPosting|ItemList|CollectionPage)$/,
};

const isDataOfPage = (name: string, { type }: Attributes) =>
  name === "script" && type === "application/ld+json";

export class PageFacts {
  title: string | null = null;
  language: string | null = null;
  #isArticle = false;
  /** Each post of a list or thread may be an entry, too. */
  #isEntry = false;
  #isList = false;
  #hasTitle = false;
  /** The text of the title or the data that is open. */
  #text: string | null = null;

  open(name: string, attributes: Attributes, isSkipped: boolean): void {
    if (name === "html") this.language ??= attributes["lang"] ?? attributes["xml:lang"] ?? null;
    else if (name === "meta") this.#onMeta(attributes);
    else if (name === "title" && !this.#hasTitle && !isSkipped) this.#text = "";
    else if (isDataOfPage(name, attributes)) this.#text = "";
    this.#onItem(attributes);
  }

  #onItem({ itemtype = "", class: classes = "" }: Attributes): void {
    this.#isEntry ||= /(?:^|\s)h-?entry(?:\s|$)/.test(classes);
    this.#isArticle ||= ARTICLE.ofItem.test(itemtype);
    this.#isList ||= LIST.ofItem.test(itemtype);
  }

  /** Whether the page says that it is an article, by Open Graph, schema.org or microformats. */
  get isArticle(): boolean {
    return this.#isArticle || (this.#isEntry && !this.#isList);
  }

  take(data: string): boolean {
    if (this.#text === null) return false;
    this.#text += data;
    return true;
  }

  close(name: string): void {
    if (this.#text === null || (name !== "title" && name !== "script")) return;
    if (name === "script") {
      this.#isArticle ||= ARTICLE.inData.test(this.#text);
      this.#isList ||= LIST.inData.test(this.#text);
    } else {
      this.title = foldSpace(this.#text) || this.title;
      this.#hasTitle = true;
    }
    this.#text = null;
  }

  #onMeta({ content, property, "http-equiv": header }: Attributes): void {
    if (content === undefined) return;
    if (header?.toLowerCase() === "content-language") this.language ??= content;
    this.#isEntry ||= property === "og:type" && content.trim() === "article";
    if (property === "og:title") this.title ??= foldSpace(content) || null;
  }
}
