import type { XmlAttributes } from "./xml-stream.ts";

/**
 * What an element is in the vocabularies of documents: DocBook, JATS, TEI, DITA, XHTML and their
 * relatives. `field`: none of these, a record or a value, whose name tells what it holds.
 */
export type XmlRole =
  | "section"
  | "wrapper"
  | "heading"
  | "block"
  | "code"
  | "quote"
  | "list"
  | "item"
  | "detail"
  | "table"
  | "row"
  | "cell"
  | "outline"
  | "break"
  | "silent"
  | "inline"
  | "field";

const NAMES: [XmlRole, string][] = [
  [
    "section",
    "sec section chapter article book part appendix preface sect1 sect2 sect3 sect4 sect5 div div1 div2 div3 topic concept task reference body back text boxed-text note tip warning caution important figure fig table-wrap caption tgroup thead tbody tfoot colgroup colspec col anchor milestone varlistentry def-item glossentry html",
  ],
  // Their titles are those of what they stand in.
  [
    "wrapper",
    "info bookinfo articleinfo sectioninfo chapterinfo front article-meta title-group teiHeader fileDesc titleStmt prolog",
  ],
  ["heading", "title head heading article-title h1 h2 h3 h4 h5 h6"],
  ["block", "p para simpara formalpara paragraph subtitle abstract shortdesc literallayout"],
  ["code", "programlisting screen preformat pre codeblock"],
  ["quote", "blockquote disp-quote"],
  [
    "list",
    "list itemizedlist orderedlist simplelist variablelist glosslist def-list procedure steps ul ol dl",
  ],
  ["table", "table informaltable simpletable"],
  ["outline", "outline"],
  ["break", "br lb break"],
  ["silent", "script style path"],
];
const ROLES = new Map<string, XmlRole>(
  NAMES.flatMap(([role, names]) =>
    names.split(" ").map((name) => [name.toLowerCase(), role] as const),
  ),
);

const ITEMS = new Set("li listitem list-item item step member term dt label".split(" "));
const DETAILS = new Set("dd def".split(" "));
const ROWS = new Set("tr row strow".split(" "));
const CELLS = new Set("td th entry cell stentry".split(" "));
const INLINE = new Set(
  "a b i u em emphasis strong code literal link ulink xref sub sup span tspan hi ref bold italic monospace ext-link uri email quote".split(
    " ",
  ),
);
const PROSE = new Set<XmlRole>(["heading", "block", "code", "item", "detail", "cell", "inline"]);
/** Inline wherever they stand; `a`, `b` and the like may be fields. */
const STYLES = new Set("em strong emphasis bold italic sub sup hi".split(" "));
/** Sections whose names say nothing about text that stands in them directly. */
const NAMELESS = new Set("div div1 div2 div3 body text html caption back".split(" "));
const ORDERED = new Set(["orderedlist", "ol", "steps", "procedure"]);

export type Surroundings = {
  parent: XmlRole | null;
  inList: boolean;
  inTable: boolean;
  /** Text of the parent stands before. */
  followsText: boolean;
};

export function roleOf(raw: string, attributes: XmlAttributes, around: Surroundings): XmlRole {
  const name = raw.toLowerCase();
  const part = partOf(name, around);
  if (part !== null) return part;
  if (isCode(name, attributes, around)) return "code";
  const isInProse = around.parent !== null && PROSE.has(around.parent);
  const known = ROLES.get(name);
  // A work's title within a sentence.
  if (known === "heading" && isInProse && around.followsText) return "inline";
  if (known !== undefined) return known;
  return isInProse || around.followsText || STYLES.has(name) ? "inline" : "field";
}

function isCode(name: string, { type = "" }: XmlAttributes, { parent }: Surroundings): boolean {
  return (name === "ab" && type.includes("code")) || (name === "code" && parent === "section");
}

function partOf(name: string, { parent, inList, inTable }: Surroundings): XmlRole | null {
  if (inTable && ROWS.has(name)) return "row";
  if (parent === "row" && CELLS.has(name)) return "cell";
  if (!inList) return null;
  if (DETAILS.has(name) || (name === "listitem" && parent === "section")) return "detail";
  return ITEMS.has(name) && (parent === "list" || parent === "section") ? "item" : null;
}

/** A part of a document that in other vocabularies is a value, such as `note`. */
export const isNamedSection = (name: string) => !NAMELESS.has(name.toLowerCase());

/** Within a paragraph it belongs to the words beside it, whatever stands between. */
export const isInlineName = (name: string) => INLINE.has(name.toLowerCase());

export function isOrdered(name: string, attributes: XmlAttributes): boolean {
  const type = attributes["list-type"] ?? attributes["type"] ?? attributes["rend"] ?? "";
  return ORDERED.has(name.toLowerCase()) || /^(order|ordered|numbered|alpha|roman)/.test(type);
}

/** Names of prefixes, drawing and layout; of what is no field, only some say anything. */
const SILENT_ATTRIBUTE =
  /^(lang|space|base|schemaLocation|noNamespaceSchemaLocation|style|class|d|points|transform|viewBox|version|width|height|x|y|fill|stroke.*)$/;
/** Feeds say how a text is written. */
const TEXT_TYPE = /^(x?html|text|\w+\/[\w.+-]+)$/;
const TELLING_ATTRIBUTES = new Set(
  "name label title alt text summary description caption".split(" "),
);

/** What an element's attributes say, as `name: value`. */
export function attributeTexts(role: XmlRole, attributes: XmlAttributes): string[] {
  const texts: string[] = [];
  for (const [key, value] of Object.entries(attributes)) {
    if (key.includes(":") || key === "xmlns" || SILENT_ATTRIBUTE.test(key)) continue;
    if (key === "type" && TEXT_TYPE.test(value)) continue;
    if (isPrefix(key, attributes) || !/[\p{L}\p{N}]/u.test(value)) continue;
    if (role === "field" || role === "outline" || TELLING_ATTRIBUTES.has(key)) {
      texts.push(`${key}: ${value}`);
    }
  }
  return texts;
}

/** The local name of `xmlns:key`. */
const isPrefix = (key: string, attributes: XmlAttributes) =>
  attributes[`xmlns:${key}`] === attributes[key];
