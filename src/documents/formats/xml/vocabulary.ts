import type { XmlAttributes } from "./xml-stream.ts";

const NAMES = {
  section:
    "sec section chapter article book part appendix preface sect1 sect2 sect3 sect4 sect5 div div1 div2 div3 topic concept task reference body back text boxed-text note tip warning caution important figure fig table-wrap caption tgroup thead tbody tfoot colgroup colspec col anchor milestone varlistentry def-item glossentry html",
  /** Containers whose titles belong to the enclosing element. */
  wrapper:
    "info bookinfo articleinfo sectioninfo chapterinfo front article-meta title-group teiheader filedesc titlestmt prolog",
  heading: "title head heading article-title h1 h2 h3 h4 h5 h6",
  block: "p para simpara formalpara paragraph subtitle abstract shortdesc literallayout",
  code: "programlisting screen preformat pre codeblock",
  quote: "blockquote disp-quote",
  list: "list itemizedlist orderedlist simplelist variablelist glosslist def-list procedure steps ul ol dl",
  table: "table informaltable simpletable",
  break: "br lb break",
  /** In drawings and web pages only: records have paths and styles, too. */
  silent: "script style path",
};
type NamedRole = keyof typeof NAMES;
/** Roles of DocBook, JATS, TEI, DITA and XHTML. `field`: a record or a value, known by its name. */
export type XmlRole = NamedRole | "item" | "detail" | "row" | "cell" | "inline" | "field";

const isNamedRole = (name: string): name is NamedRole => name in NAMES;
export const ROLES = new Map<string, XmlRole>(
  Object.keys(NAMES)
    .filter(isNamedRole)
    .flatMap((role) => NAMES[role].split(" ").map((name) => [name, role] as const)),
);

export type Vocabulary = {
  /** Whether it is a document vocabulary; all others are taken for records. */
  isDocument: boolean;
  /** Within a drawing or a web page: SVG or XHTML. */
  isDrawing: boolean;
};

const DOCUMENT_NAMESPACE = /docbook\.org\/|tei-c\.org\/|opendocument|\bjats\b|\bdita\b/i;
const DRAWING_NAMESPACE = /w3\.org\/(?:1999\/xhtml|2000\/svg)$/;
const DOCUMENT_ROOTS = new Set("tei teicorpus opml dita html svg".split(" "));
/** Roots of DocBook, JATS and DITA that records use, too. */
const SHARED_ROOTS = new Set(
  "article book part chapter appendix preface section sec sect1 topic concept task reference refentry".split(
    " ",
  ),
);
const DOCUMENT_ATTRIBUTE =
  /^(?:id|lang|version|role|status|label|class|article-type|dtd-version|specific-use|domains)$/;

export function vocabularyOf(
  rawName: string,
  attributes: XmlAttributes,
  around: Vocabulary | null,
): Vocabulary {
  const name = rawName.toLowerCase();
  return {
    isDocument: around?.isDocument ?? isDocumentRoot(name, attributes),
    isDrawing: around?.isDrawing === true || isDrawing(name, attributes),
  };
}

const isDrawing = (name: string, { xmlns = "" }: XmlAttributes) =>
  name === "svg" || name === "html" || DRAWING_NAMESPACE.test(xmlns);

function isDocumentRoot(name: string, attributes: XmlAttributes): boolean {
  if (DOCUMENT_ROOTS.has(name) || DRAWING_NAMESPACE.test(attributes["xmlns"] ?? "")) return true;
  const keys = Object.keys(attributes);
  const declared = keys.filter((key) => /^xmlns(?::|$)/.test(key));
  if (declared.some((key) => DOCUMENT_NAMESPACE.test(attributes[key] ?? ""))) return true;
  if (!SHARED_ROOTS.has(name)) return false;
  const qualified = keys.filter((key) => key.includes(":"));
  const local = new Set(qualified.map((key) => key.slice(key.indexOf(":") + 1)));
  return keys.every(
    (key) => key === "xmlns" || key.includes(":") || local.has(key) || DOCUMENT_ATTRIBUTE.test(key),
  );
}
