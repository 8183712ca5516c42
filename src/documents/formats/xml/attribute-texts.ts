import type { Vocabulary, XmlRole } from "./vocabulary.ts";
import type { XmlAttributes } from "./xml-stream.ts";

/** Attributes for layout and drawing in documents. In records each of these may be a value. */
const LAYOUT =
  /^(?:lang|space|base|style|class|d|points|transform|viewBox|version|width|height|x|y|fill|stroke.*)$/;
const OF_XML = /^(?:xml:(?:lang|space|base)|xsi:.*)$/;
const FEED_TEXTS = new Set("content title summary subtitle rights link".split(" "));
const TEXT_TYPE = /^(?:x?html|text|\w+\/[\w.+-]+)$/;
const FORMATS = new Set("rss opml svg html tei plist kml gpx xliff tmx stylesheet".split(" "));
const TELLING = new Set("name label title alt text summary description caption".split(" "));
/** Web page elements that mark up text in records; their names are not shown. */
const WEB_NAMES = new Set(
  "a abbr b big blockquote br center cite code dd del dl dt em font h1 h2 h3 h4 h5 h6 i img ins kbd li ol p pre q s small span strike strong sub sup table tbody td tfoot th thead tr tt u ul var".split(
    " ",
  ),
);
const PLAIN = /^(?:id|class|style|lang|dir|type|n|role|align|rend|rendition)$/;

type Element = Vocabulary & { name: string; role: XmlRole };

export function attributeTexts(element: Element, attributes: XmlAttributes): string[] {
  const texts: string[] = [];
  for (const [key, value] of ownAttributes(attributes)) {
    if (!isIgnored(element, key, value) && isShown(element, key)) texts.push(`${key}: ${value}`);
  }
  return texts;
}

/** `price (currency: EUR)` */
export const appendDetails = (label: string, says: string[]) =>
  says.length === 0 ? label : `${label} (${says.join(", ")})`.trim();

export const hasDetails = (attributes: XmlAttributes) =>
  ownAttributes(attributes).some(([key]) => !PLAIN.test(key));

function ownAttributes(attributes: XmlAttributes): [key: string, value: string][] {
  const entries = Object.entries(attributes);
  const ofXml = new Set(
    entries.filter(([key]) => OF_XML.test(key)).map(([key]) => key.slice(key.indexOf(":") + 1)),
  );
  return entries.filter(
    ([key, value]) =>
      !key.includes(":") &&
      key !== "xmlns" &&
      !ofXml.has(key) &&
      attributes[`xmlns:${key}`] !== value &&
      /[\p{L}\p{N}]/u.test(value),
  );
}

function isIgnored({ name, isDocument, isDrawing }: Element, key: string, value: string): boolean {
  if ((isDocument || isDrawing) && LAYOUT.test(key)) return true;
  if (key === "version") return FORMATS.has(name.toLowerCase());
  const isFeedType = key === "type" && TEXT_TYPE.test(value);
  return isFeedType && (isDocument || FEED_TEXTS.has(name.toLowerCase()));
}

function isShown({ name, role, isDocument }: Element, key: string): boolean {
  if (role === "field" || TELLING.has(key)) return true;
  if (isDocument || WEB_NAMES.has(name.toLowerCase())) return false;
  return key !== "lang" && (role !== "inline" || !/^(?:href|url|target)$/.test(key));
}
