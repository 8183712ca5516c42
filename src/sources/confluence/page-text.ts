import { ITEM_COST, yieldNow, runCooperatively } from "../../core/work/cooperative.ts";
import { textOf, UnreadableDocument } from "../../documents/extracted-document.ts";
import { readPage } from "../../documents/formats/html/extract-html.ts";
import { foldSpace } from "../../documents/writing/fold-space.ts";
import { SourceFailure } from "../../ports/source-reader.ts";

/** https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html */
const TAG = /(<\/?(?:ac:|ri:|time\b)[^<>]*>|<!\[CDATA\[|\]\]>)/;
const ATTRIBUTE = /([\w:-]{1,64})="([^"]*)"/g;
const MACRO = "ac:structured-macro";
const PLAIN = "ac:plain-text-body";
/** Elements whose text is a value, is not for people, or is said again by another element. */
const UNWRITTEN = /^ac:(?:parameter|task-id|task-uuid|task-status|placeholder|adf-node)$/;
const HTML_NAMES = new Map([
  ["ac:task-list", "ul"],
  ["ac:task", "li"],
  ["expand", "details"],
  ...["info", "note", "tip", "warning", "panel"].map((name) => [name, "blockquote"] as const),
]);
/** Attributes of elements, and parameters of macros, that are all that is shown of them. */
const SHOWN = new Map([
  ["time", "datetime"],
  ["ac:emoticon", "ac:emoji-fallback"],
  ["ac:image", "ac:alt"],
  ["anchor", "nothing"],
  ["status", "title"],
  ["jira", "key"],
]);
const MAX_MACROS_NAMED = 20;
/** A hundred are requested in one call. */
const MAX_MENTIONS = 1_000;

const escapeHtml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
/** An attribute's text in a path. A bracket would end a link of Markdown. */
const encodeForPath = (text: string) =>
  encodeURIComponent(
    text.toWellFormed().replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&"),
  )
    .replaceAll("(", "%28")
    .replaceAll(")", "%29");

export type Page = {
  id: string;
  title: string;
  storage: string;
  spaceKey: string;
  /** The site's address, to which links between pages lead. */
  site: string;
  /** Of people, by account id. */
  names: Map<string, string | null | undefined>;
};

/** Account ids of people that a page mentions, of a page that mentions everybody the first. */
export function mentionsIn(storage: string): string[] {
  const mentions = new Set<string>();
  for (const [, id = ""] of storage.matchAll(/ri:account-id="([^"]{1,128})"/g)) {
    if (mentions.size === MAX_MENTIONS) break;
    mentions.add(id);
  }
  return [...mentions];
}

/** The Markdown of a page. @throws SourceFailure `bad-file` for what cannot be converted */
export async function pageText(page: Page): Promise<string> {
  try {
    return await runCooperatively(markdownOf(page), yieldNow);
  } catch (thrown) {
    if (!(thrown instanceof UnreadableDocument)) throw thrown;
    throw new SourceFailure("bad-file", `Confluence: ${thrown.message}`);
  }
}

function* markdownOf(page: Page) {
  const writer = new StorageWriter(page);
  for (const token of page.storage.split(TAG)) {
    writer.add(token);
    yield token.length + ITEM_COST;
  }
  const html = writer.html.join("");
  const text = textOf(yield* readPage(html, { keepNavigation: true, isXhtml: true }));
  const leftOut = [...writer.leftOut].slice(0, MAX_MACROS_NAMED);
  const notes = leftOut.map((name) => `(left out: macro ${name}, which Confluence computes)`);
  return [`# ${foldSpace(page.title)}`, text, ...notes].join("\n\n");
}

type Macro = { name: string; element: string; values: Map<string, string>; hasBody: boolean };

/** Writes storage format as HTML: macros become elements. */
class StorageWriter {
  readonly html: string[] = [];
  /** Macros that Confluence computes. */
  readonly leftOut = new Set<string>();
  readonly #page: Page;
  readonly #macros: Macro[] = [];
  #link = { href: "", text: "", hasBody: true };
  /** The text of an element that is not written, and how many of these are open. */
  #value = { name: "", text: "" };
  #unwritten = 0;
  #isVerbatim = false;

  constructor(page: Page) {
    this.#page = page;
  }

  add(token: string): void {
    if (token === (this.#isVerbatim ? "]]>" : "<![CDATA[")) this.#isVerbatim = !this.#isVerbatim;
    else if (this.#isVerbatim) this.#write(escapeHtml(token));
    else if (!TAG.test(token)) this.#write(token);
    else this.#addTag(token, /[\w:-]+/.exec(token)?.[0] ?? "");
  }

  #write(html: string): void {
    if (this.#unwritten > 0) this.#value.text += html;
    else this.html.push(html);
  }

  #addTag(tag: string, name: string): void {
    const isEnd = tag.startsWith("</");
    if (!isEnd) {
      const pairs = Array.from(tag.matchAll(ATTRIBUTE), ([, key = "", text = ""]) => [key, text]);
      this.#open(name, Object.fromEntries(pairs));
    }
    if (!isEnd && !tag.endsWith("/>")) return;
    if (UNWRITTEN.test(name)) this.#closeValue(name);
    else if (name === MACRO) this.#closeMacro();
    else if (name === "ac:link") this.#closeLink();
    else this.#write(this.#endOf(name));
  }

  #open(name: string, attributes: Record<string, string>): void {
    const { "ac:name": own = "", "ac:anchor": text = "" } = attributes;
    if (UNWRITTEN.test(name)) {
      this.#unwritten++;
      this.#value = { name: own, text: "" };
    } else if (name === MACRO) {
      const element = HTML_NAMES.get(own) ?? "div";
      this.#macros.push({ name: own, element, values: new Map(), hasBody: false });
    } else if (name === "ac:link") this.#link = { href: "", text, hasBody: false };
    else if (name.endsWith("link-body")) this.#openLink();
    else if (name.startsWith("ri:")) this.#writeReference(name, attributes);
    else if (name.endsWith("text-body")) this.#openBody(name, this.#macros.at(-1));
    else this.#write(startOf(name, attributes));
  }

  #openLink(): void {
    this.#link.hasBody = true;
    this.#write(`<a href="${this.#link.href}">`);
    this.#link.href = "";
  }

  #openBody(name: string, macro: Macro | undefined): void {
    if (macro === undefined) return;
    macro.hasBody = true;
    const title = macro.values.get("title") ?? "";
    const language = macro.values.get("language") ?? macro.name.replace(/^(?:code|noformat)$/, "");
    const code = name === PLAIN ? `<pre><code class="language-${language}">` : "";
    this.#write(`<${macro.element}>${title && `<p>${title}</p>`}${code}`);
    // A macro that has many bodies does not repeat what may be long.
    macro.values.clear();
  }

  #closeValue(name: string): void {
    this.#unwritten--;
    const text = this.#value.text.trim();
    if (name === "ac:parameter") this.#macros.at(-1)?.values.set(this.#value.name, text);
    if (name === "ac:task-status") this.#write(text === "complete" ? "[x] " : "[ ] ");
  }

  #closeMacro(): void {
    const macro = this.#macros.pop();
    if (macro === undefined || macro.hasBody) return;
    const parameter = SHOWN.get(macro.name);
    if (parameter === undefined) this.leftOut.add(macro.name);
    else this.#write(macro.values.get(parameter) ?? "");
  }

  #closeLink(): void {
    const { href, text, hasBody } = this.#link;
    if (!hasBody) this.#write(href === "" ? text : `<a href="${href}">${text}</a>`);
    this.#link.hasBody = true;
  }

  #endOf(name: string): string {
    const macro = name.endsWith("text-body") ? this.#macros.at(-1) : undefined;
    if (macro !== undefined) return `${name === PLAIN ? "</code></pre>" : ""}</${macro.element}>`;
    const element = name.endsWith("link-body") ? "a" : HTML_NAMES.get(name);
    return element === undefined ? "" : `</${element}>`;
  }

  /** A person, or what the open link leads to. */
  #writeReference(name: string, attributes: Record<string, string>): void {
    const { site, spaceKey, id, names } = this.#page;
    const person = names.get(attributes["ri:account-id"] ?? "") ?? "somebody";
    if (name === "ri:user") this.#write(`@${escapeHtml(person)}`);
    const { "ri:content-title": title, "ri:filename": file = "" } = attributes;
    const text = title ?? file;
    if (this.#link.hasBody || text === "") return;
    const key = encodeForPath(attributes["ri:space-key"] ?? spaceKey);
    const place = title === undefined ? `download/attachments/${id}` : `display/${key}`;
    this.#link = { href: `${site}/${place}/${encodeForPath(text)}`, text, hasBody: false };
  }
}

function startOf(name: string, attributes: Record<string, string>): string {
  const element = HTML_NAMES.get(name);
  return element === undefined ? (attributes[SHOWN.get(name) ?? ""] ?? "") : `<${element}>`;
}
