import { longer } from "./bounded-text.ts";
import { foldSpace } from "./fold-space.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";
import type { Extraction } from "./extracted-document.ts";
import { XmlStream } from "./xml/xml-stream.ts";
import type { XmlAttributes, XmlHandler } from "./xml/xml-stream.ts";

const LABEL_MAX_CHARACTERS = 40;
/** Elements of markup for documents: their names say nothing to a reader. */
const PROSE = new Set(
  "p para simpara paragraph li listitem item entry td th cell span text body section sect1 sect2 sect3 chapter article book div tspan tref".split(
    " ",
  ),
);
const HEADINGS = new Set(["title", "head", "heading", "h1", "h2", "h3"]);
const INLINE = new Set(
  "a b i u em emphasis strong code literal link ulink xref sub sup span tspan hi ref bold italic".split(
    " ",
  ),
);
/** Names of prefixes, drawing and layout. */
const SILENT_ATTRIBUTE =
  /:|^(xmlns|lang|space|style|class|d|points|transform|viewBox|version|width|height|x|y|fill|stroke.*)$/;
const NOT_TEXT = new Set(["script", "style", "path"]);

/** XML of any vocabulary: texts with the names of what holds them, attributes included. */
export function extractXml(xml: string): Extraction {
  const declaresEntities = /<!ENTITY\s/.test(xml.slice(0, xml.indexOf("]>") + 1));
  const reader = new XmlReader();
  const stream = new XmlStream(reader);
  stream.write(withoutDoctype(xml));
  stream.end();
  reader.finish();
  return {
    text: reader.out,
    title: reader.title,
    language: reader.language,
    pages: [],
    notes: declaresEntities ? ["declared entities are not expanded"] : [],
  };
}

function withoutDoctype(xml: string): string {
  const start = xml.search(/<!DOCTYPE\s/i);
  if (start < 0) return xml;
  const bracket = xml.indexOf("[", start);
  const close = xml.indexOf(">", start);
  if (close < 0) return xml.slice(0, start);
  if (bracket < 0 || bracket > close) return xml.slice(0, start) + xml.slice(close + 1);
  const subsetEnd = /\]\s*>/g;
  subsetEnd.lastIndex = bracket;
  const end = subsetEnd.exec(xml);
  return end === null ? xml.slice(0, start) : xml.slice(0, start) + xml.slice(subsetEnd.lastIndex);
}

class XmlReader implements XmlHandler {
  title: string | null = null;
  language: string | null = null;
  readonly out = new MarkdownBuilder();
  #text = "";
  #depth = 0;
  #notText = 0;
  #name = "";

  open(name: string, attributes: XmlAttributes): void {
    this.#depth++;
    if (this.#depth === 1) this.language = attributes["xml:lang"] ?? attributes["lang"] ?? null;
    if (NOT_TEXT.has(name.toLowerCase())) this.#notText++;
    if (INLINE.has(name.toLowerCase()) && this.#text.trim() !== "") return;
    this.#flush(this.#name);
    this.#name = name;
    for (const [key, value] of Object.entries(attributes)) this.#writeAttribute(key, value);
  }

  text(data: string): void {
    if (this.#notText === 0) this.#text = longer(this.#text, data);
  }

  close(name: string): void {
    this.#depth--;
    if (NOT_TEXT.has(name.toLowerCase())) this.#notText--;
    if (INLINE.has(name.toLowerCase()) && this.#name !== name) return;
    this.#flush(name);
    this.#name = "";
  }

  finish(): void {
    this.#flush("");
  }

  /** Only what reads as words: no identifiers of name spaces, no measures. */
  #writeAttribute(key: string, value: string): void {
    if (SILENT_ATTRIBUTE.test(key) || !/[\p{L}\p{N}]/u.test(value)) return;
    this.out.listItem(0, "-", `${key}: ${value}`);
  }

  #flush(name: string): void {
    const text = this.#text;
    this.#text = "";
    const folded = foldSpace(text);
    if (folded === "") return;
    const lower = name.toLowerCase();
    if (HEADINGS.has(lower)) {
      this.title ??= folded;
      this.out.heading(Math.min(Math.max(this.#depth, 1), 3), folded);
    } else if (name === "" || PROSE.has(lower) || folded.length > LABEL_MAX_CHARACTERS * 5) {
      this.out.paragraph(text);
    } else this.out.listItem(0, "-", `${name}: ${folded}`);
  }
}
