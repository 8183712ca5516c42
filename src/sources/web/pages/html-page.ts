import { Parser } from "htmlparser2";

import { walkParts, yieldNow, runCooperatively } from "../../../core/work/cooperative.ts";
import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { declaredEncoding, decodeText } from "../../../documents/decoding/decode-text.ts";

/** Parts of a page that the crawl needs; its text is the extractor's business. */
const emptyPage = () => ({
  /** As written, relative to `base`. */
  links: [] as string[],
  base: null as string | null,
  canonical: null as string | null,
  /** Where the page sends its readers at once, as a redirect does. */
  refresh: null as string | null,
  /** The program that made the page, in lower case. */
  generator: "",
  title: null as string | null,
  language: null as string | null,
  /** When it says that it was last changed, as written, the surest first. */
  modified: [] as string[],
  /** Directives of its robots elements, as written. */
  directives: [] as string[],
});
export type HtmlPage = ReturnType<typeof emptyPage>;

/** As many as a crawl may have pages. */
const MAX_LINKS = 20_000;
const MAX_DATES = 10;
const MAX_TITLE_LENGTH = 500;
/** Pages are read up to there: at each tag the parser goes through all open elements. */
const MAX_DEPTH = 1_000;
const LINKED_DATA = "application/ld+json";
const MAX_LINKED_DATA = 65_536;
/** https://schema.org/dateModified */
const DATE_MODIFIED = /"dateModified"\s{0,9}:\s{0,9}"([^"]{10,40})"/;

export const isHtml = (mediaType: string) =>
  /^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType);

/** Null for what is no HTML. */
export async function factsOf(mediaType: string, bytes: Uint8Array, contentType: string | null) {
  return isHtml(mediaType) ? await runCooperatively(readBytes(bytes, contentType), yieldNow) : null;
}

function* readBytes(bytes: Uint8Array, contentType: string | null): CooperativeWork<HtmlPage> {
  return yield* readHtmlPage(yield* decodeHtml(bytes, contentType));
}

export function* readHtmlPage(html: string): CooperativeWork<HtmlPage> {
  const page = emptyPage();
  let inTitle = false;
  let linkedData: string | null = null;
  let depth = 0;
  let noScripts = 0;
  let drawings = 0;
  const parser: Parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      if (depth > MAX_DEPTH) parser.pause();
      if (name === "svg") drawings += 1;
      inTitle = name === "title" && drawings === 0 && page.title === null;
      if (inTitle) page.title = "";
      if (name === "script" && attributes["type"] === LINKED_DATA) linkedData ??= "";
      if (name === "noscript") noScripts += 1;
      openers[name]?.(page, attributes, noScripts > 0);
    },
    ontext(text) {
      if (linkedData !== null && linkedData.length < MAX_LINKED_DATA) linkedData += text;
      if (inTitle) page.title = `${page.title ?? ""}${text}`;
    },
    onclosetag(name) {
      depth -= 1;
      if (name === "noscript") noScripts -= 1;
      if (name === "svg") drawings -= 1;
      if (name === "title") inTitle = false;
      if (name !== "script" || linkedData === null) return;
      page.modified.push(...(DATE_MODIFIED.exec(linkedData)?.slice(1) ?? []));
      linkedData = null;
    },
  });
  yield* walkParts(html, (part) => {
    parser.write(part);
    return depth <= MAX_DEPTH;
  });
  parser.end();
  page.title = cut(page.title?.replace(/\s+/gu, " ").trim() ?? "") || null;
  return page;
}

/** A title stands in a row of the database, however long the page makes it. */
const cut = (text: string) => text.slice(0, MAX_TITLE_LENGTH).toWellFormed();

type Attributes = Record<string, string>;

/** A frame, and the PDF that a viewer in it shows: `viewer.html?file=a.pdf`, `/gview?url=…`. */
function addFrame(page: HtmlPage, { src = "", data = src }: Attributes): void {
  addLink(page, { href: data });
  const [address = ""] = data.split("#", 1);
  const [viewer = "", query = ""] = address.split("?", 2);
  // It is relative to the viewer, not to the page around it.
  const folder = viewer.slice(0, viewer.lastIndexOf("/") + 1);
  for (const value of new URLSearchParams(query).values())
    if (/\.pdf$/i.test(value))
      addLink(page, { href: /^(?:\/|\w+:)/.test(value) ? value : `${folder}${value}` });
}

type Opener = (page: HtmlPage, attributes: Attributes, isInNoScript: boolean) => void;

function addLink(page: HtmlPage, { href = "", rel = "" }: Attributes): void {
  const link = href.trim();
  if (link === "" || link.startsWith("#") || /\bnofollow\b/i.test(rel)) return;
  if (page.links.length < MAX_LINKS) page.links.push(link);
}

/** https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh */
const REFRESH =
  /^[\d.]*[;,\s]+(?:url\s{0,9}=\s{0,9}|(?!url\s{0,9}=))(?:["']\s{0,9})?([^"'\s;,][^"']*)/i;

export function addRefresh(page: HtmlPage, content: string, isInNoScript: boolean): void {
  const target = REFRESH.exec(content.trim())?.[1];
  if (target === undefined) return;
  addLink(page, { href: target });
  if (!(Number.parseInt(content, 10) > 0) && !isInNoScript) page.refresh ??= target;
}

const openers: Record<string, Opener> = {
  a: addLink,
  area: addLink,
  embed: addFrame,
  frame: addFrame,
  iframe: addFrame,
  object: addFrame,
  html(page, { lang = "" }) {
    page.language ??= /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,5}$/.test(lang) ? lang : null;
  },
  base(page, { href }) {
    page.base ??= href?.trim() ?? null;
  },
  link(page, { rel = "", href = "" }) {
    const relations = rel.toLowerCase().split(/\s+/);
    if (relations.includes("canonical") && href.trim() !== "") page.canonical ??= href.trim();
    if (relations.includes("next")) addLink(page, { href });
  },
  meta(page, attributes, isInNoScript) {
    const { content = "", name = "", property } = attributes;
    const isDate = property === "article:modified_time" && page.modified.length < MAX_DATES;
    if (isDate) page.modified.unshift(content.trim());
    if (/^(?:robots|quarry)$/i.test(name.trim())) page.directives.push(content);
    if (/^generator$/i.test(name)) page.generator ||= content.trim().toLowerCase();
    if (/^refresh$/i.test(attributes["http-equiv"] ?? "")) addRefresh(page, content, isInNoScript);
  },
};

/** The page's text: as documents are decoded, but never refused. */
export function* decodeHtml(
  bytes: Uint8Array,
  contentType: string | null,
): CooperativeWork<string> {
  try {
    return (yield* decodeText(bytes, declaredEncoding(bytes, contentType))).text;
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
