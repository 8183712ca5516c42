import { hasDetails } from "./attribute-texts.ts";
import { ROLES, type Vocabulary, type XmlRole } from "./vocabulary.ts";
import type { XmlAttributes } from "./xml-stream.ts";

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
  return (name !== "div" && name !== "html") || hasDetails(attributes);
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
  ROWS.has(name) && (isDocument || name === "tr" || !hasDetails(attributes));

/** A part of a document whose name is a value in other vocabularies, such as `note`. */
export const isNamedSection = (name: string) => !NAMELESS.has(name.toLowerCase());

/** Within a paragraph it belongs to the words beside it, even with other elements between. */
export const isInlineName = (name: string) => INLINE.has(name.toLowerCase());

export function isOrdered(name: string, attributes: XmlAttributes): boolean {
  const type = attributes["list-type"] ?? attributes["type"] ?? attributes["rend"] ?? "";
  return ORDERED.has(name.toLowerCase()) || /^(order|ordered|numbered|alpha|roman)/.test(type);
}
