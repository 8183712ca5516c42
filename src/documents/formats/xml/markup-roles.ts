import { tellsMore } from "./attribute-texts.ts";
import type { Vocabulary, XmlRole } from "./vocabulary.ts";
import type { XmlAttributes } from "./xml-stream.ts";

const NAMES: [XmlRole, string][] = [
  [
    "section",
    "sec section chapter article book part appendix preface sect1 sect2 sect3 sect4 sect5 div div1 div2 div3 topic concept task reference body back text boxed-text note tip warning caution important figure fig table-wrap caption tgroup thead tbody tfoot colgroup colspec col anchor milestone varlistentry def-item glossentry html",
  ],
  // Containers whose titles belong to the enclosing element.
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
  ["break", "br lb break"],
  // In drawings and web pages only: records have paths and styles, too.
  ["silent", "script style path"],
];
const ROLES = new Map<string, XmlRole>(
  NAMES.flatMap(([role, names]) =>
    names.split(" ").map((name) => [name.toLowerCase(), role] as const),
  ),
);

const TABLE_PARTS = new Set("tgroup thead tbody tfoot colgroup colspec col".split(" "));
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
/** Inline elements in any context; `a`, `b` and the like may be fields. */
const STYLES = new Set("em strong emphasis bold italic sub sup hi".split(" "));
const NAMELESS = new Set("div div1 div2 div3 body text html caption back".split(" "));
const ORDERED = new Set(["orderedlist", "ol", "steps", "procedure"]);

export type Surroundings = Vocabulary & {
  parent: XmlRole | null;
  inList: boolean;
  inTable: boolean;
  isTable: boolean;
  followsText: boolean;
};

export function roleOf(raw: string, attributes: XmlAttributes, around: Surroundings): XmlRole {
  const name = raw.toLowerCase();
  const part = partOf(name, attributes, around);
  if (part !== null) return part;
  if (isCode(name, attributes, around)) return "code";
  const isInProse = around.parent !== null && PROSE.has(around.parent);
  const role = ROLES.get(name);
  // The title of a work within a sentence.
  if (role === "heading" && isInProse && around.followsText) return "inline";
  if (role !== undefined && !isRecord(name, role, attributes, around)) return role;
  return isInProse || around.followsText || STYLES.has(name) ? "inline" : "field";
}

function isRecord(
  name: string,
  role: XmlRole,
  attributes: XmlAttributes,
  { isDocument, isDrawing, isTable }: Surroundings,
): boolean {
  if (role === "silent") return !isDrawing;
  if (isDocument || (role !== "section" && role !== "wrapper")) return false;
  if (TABLE_PARTS.has(name)) return !isTable;
  return (name !== "div" && name !== "html") || tellsMore(attributes);
}

function isCode(name: string, { type = "" }: XmlAttributes, { parent }: Surroundings): boolean {
  return (name === "ab" && type.includes("code")) || (name === "code" && parent === "section");
}

function partOf(name: string, attributes: XmlAttributes, around: Surroundings): XmlRole | null {
  const { parent, inList, inTable } = around;
  if (inTable && isRow(name, attributes, around)) return "row";
  if (parent === "row" && CELLS.has(name)) return "cell";
  if (!inList) return null;
  if (DETAILS.has(name) || (name === "listitem" && parent === "section")) return "detail";
  return ITEMS.has(name) && (parent === "list" || parent === "section") ? "item" : null;
}

const isRow = (name: string, attributes: XmlAttributes, { isDocument }: Surroundings) =>
  ROWS.has(name) && (isDocument || name === "tr" || !tellsMore(attributes));

/** A part of a document whose name is a value in other vocabularies, such as `note`. */
export const isNamedSection = (name: string) => !NAMELESS.has(name.toLowerCase());

/** Within a paragraph it belongs to the words beside it, even with other elements between. */
export const isInlineName = (name: string) => INLINE.has(name.toLowerCase());

export function isOrdered(name: string, attributes: XmlAttributes): boolean {
  const type = attributes["list-type"] ?? attributes["type"] ?? attributes["rend"] ?? "";
  return ORDERED.has(name.toLowerCase()) || /^(order|ordered|numbered|alpha|roman)/.test(type);
}
