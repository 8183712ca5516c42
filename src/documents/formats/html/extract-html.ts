import { Parser } from "htmlparser2";

import { walkParts, type CooperativeWork } from "../../../core/work/cooperative.ts";
import { reasonOf, type Extraction, type RawDocument } from "../../extracted-document.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { expandEntities } from "../xml/entities.ts";
import { HtmlReader, type HtmlOptions } from "./html-reader.ts";

/** Text shorter than this around an empty page counts only if it has a heading or a sentence. */
const MIN_CHARACTERS = 200;
/** More than one of these is noted: characters, or a share of what is kept. */
const NOTED_CHARACTERS = 200;
const NOTED_SHARE = 0.25;
const BESIDE_LEFT_OUT = "text outside the main part left out";
const BUILT_BY_SCRIPTS = "scripts build this page; it has no text of its own";

/** Reads a page. A page of nothing but links keeps them: that is better than no text. */
export function* readPage(
  html: string,
  options: PageOptions = {},
): CooperativeWork<Extraction & { hiddenElements: number }> {
  const { reader, out, leftBeside, isBuiltByScripts } = yield* readTwice(html, options);
  const { title, language } = reader.facts;
  const hiddenElements = out.leftOut.countOf("hidden element");
  if (isBuiltByScripts) {
    const nothing = { text: "", title, language, pages: [], notes: [], reason: BUILT_BY_SCRIPTS };
    return { ...nothing, hiddenElements };
  }
  const notes: string[] = [];
  if (leftBeside > Math.min(NOTED_CHARACTERS, out.length * NOTED_SHARE))
    notes.push(BESIDE_LEFT_OUT);
  if (yield* isTruncated(html, options)) notes.push(ENDS_EARLY);
  const page = out.extraction({ title: title ?? out.firstHeading(), language, notes });
  return { ...page, hiddenElements };
}

/** `isWholePage`: a page of a site has more around its text than a message or a feed's entry. */
type PageOptions = HtmlOptions & { isWholePage?: boolean };
type Reading = { reader: HtmlReader; out: MarkdownBuilder };
type PageReading = Reading & { leftBeside: number; isBuiltByScripts: boolean };

/** The second time without the site navigation that the first reading found. */
function* readTwice(html: string, options: PageOptions): CooperativeWork<PageReading> {
  const whole = yield* readOnce(html, options);
  const nothingLeft = { leftBeside: 0, isBuiltByScripts: false };
  if (options.keepNavigation === true) return { ...whole, ...nothingLeft };
  const { parts, facts } = whole.reader;
  const { mainText, hasEmptyMount, isAllInMain } = parts;
  const around = options.isWholePage === true ? mainText.leave(facts.isArticle) : [];
  const leave = [...parts.leave(), ...around];
  leave.sort((a, b) => a - b);
  const reading = leave.length > 0 ? yield* readOnce(html, { ...options, leave }) : whole;
  const isBuiltByScripts = hasEmptyMount && /<script/i.test(html) && hasFewWords(reading);
  if (reading.out.length === 0 && !isBuiltByScripts)
    return { ...(yield* readOnce(html, { ...options, keepNavigation: true })), ...nothingLeft };
  const leftBeside = mainText.leftCharacters + (isAllInMain ? parts.leftBeside : 0);
  return { ...reading, leftBeside, isBuiltByScripts };
}

function* readOnce(html: string, options: HtmlOptions): CooperativeWork<Reading> {
  const out = new MarkdownBuilder();
  return { reader: yield* readHtml(html, out, options), out };
}

const hasFewWords = ({ reader, out }: Reading) =>
  out.length < MIN_CHARACTERS && !reader.parts.hasText;

const HEAD_CHARACTERS = 1_000;
/** A media type, a name, or what a page begins with, that says that its markup is XML. */
const XHTML = /xhtml|\.xht$|^\s*<\?xml\s/i;

export function* readText(html: string, file: RawDocument): CooperativeWork<Extraction> {
  const signs = [file.mimeType ?? "", file.name, html.slice(0, HEAD_CHARACTERS)];
  const isXhtml = signs.some((sign) => XHTML.test(sign));
  const text = isXhtml ? (yield* expandEntities(html)).text : html;
  return yield* readPage(text, { isXhtml, isWholePage: true });
}

/** Elements that only their closing tag ends: everything before it is their content, not text. */
const UNREAD = ["script", "style", "title", "textarea"];

/** Whether the bytes end inside a tag, a comment, or an element that holds no markup. */
function* isTruncated(html: string, { isXhtml }: HtmlOptions): CooperativeWork<boolean> {
  const lastTag = html.lastIndexOf("<");
  if (lastTag > html.lastIndexOf(">") && /^[a-z/!]/i.test(html.slice(lastTag + 1, lastTag + 2))) {
    return true;
  }
  yield html.length;
  // Scripts may hold the marks of a comment.
  const tail = html.slice(html.lastIndexOf("</script") + 1);
  if (tail.lastIndexOf("<!--") > tail.lastIndexOf("-->")) return true;
  // In XHTML, they may close in themselves.
  for (const name of isXhtml === true ? [] : UNREAD) {
    yield html.length;
    if (html.lastIndexOf(`<${name}`) > html.lastIndexOf(`</${name}`)) return true;
  }
  return false;
}

/** Reads HTML in one pass, without a tree, so that memory does not grow with nesting. */
export function* readHtml(
  html: string,
  out: MarkdownBuilder,
  options: HtmlOptions = {},
): CooperativeWork<HtmlReader> {
  const frames: string[] = [];
  const readFrame = (page: string) => {
    frames.push(page);
    parser.pause();
  };
  // A frame within a frame is not read: each level of them would be parsed again.
  const reader = new HtmlReader(
    out,
    options.isFrame === true ? options : { ...options, readFrame },
  );
  const parser = new Parser(reader, { recognizeSelfClosing: options.isXhtml === true });
  for (const advanced of walkParts(html, (part) => parser.write(part))) {
    for (let page = frames.pop(); page !== undefined; page = frames.pop()) {
      yield* writeFrame(page, out);
      parser.resume();
    }
    yield advanced;
  }
  parser.end();
  reader.finish();
  return reader;
}

function* writeFrame(page: string, out: MarkdownBuilder): CooperativeWork<void> {
  try {
    yield* readHtml(page, out, { keepNavigation: true, isFrame: true });
  } catch (error) {
    reasonOf(error);
    out.leftOut.add("embedded part");
  }
}
