import { html } from "hono/html";

import { extractiveChat } from "../../../src/adapters/embedded/extractive-chat.ts";
import { hashEmbedding } from "../../../src/adapters/embedded/hash-embedder.ts";
import { lexicalReranker } from "../../../src/adapters/embedded/lexical-reranker.ts";
import { withoutThinking } from "../../../src/adapters/openai/thinking.ts";
import { parseConfig } from "../../../src/config.ts";
import { foldForDuplicates } from "../../../src/core/hash.ts";
import { identifierFrom } from "../../../src/core/ids.ts";
import { principalOf } from "../../../src/core/principals.ts";
import { runToEnd } from "../../../src/core/work/cooperative.ts";
import { Budget } from "../../../src/core/work/step-budget.ts";
import { chunkDocument } from "../../../src/documents/chunking/chunk-document.ts";
import { detectLanguage } from "../../../src/documents/decoding/detect-language.ts";
import { parseStructured } from "../../../src/documents/formats/mail/mail-headers.ts";
import {
  partsOf,
  textOf as blockText,
} from "../../../src/documents/formats/pdf/layout/page-blocks.ts";
import { LAID_OUT_AT_ONCE } from "../../../src/documents/formats/pdf/layout/page-rows.ts";
import { segmentsOf } from "../../../src/documents/formats/pdf/layout/page-segments.ts";
import { foldSpace } from "../../../src/documents/writing/fold-space.ts";
import { foldText } from "../../../src/evaluation/measures/match-passages.ts";
import { addressOf } from "../../../src/http/client-address.ts";
import { forwardedElements } from "../../../src/http/forwarded.ts";
import { citeBlock } from "../../../src/inference/citations/citing.ts";
import { withoutMarks } from "../../../src/inference/citations/marks.ts";
import { readResponseSchema } from "../../../src/inference/response-schema.ts";
import { planOutput } from "../../../src/inference/structured-output.ts";
import { Markdown } from "../../../src/panel/components/markdown.tsx";
import { matchExpression, queryTerms } from "../../../src/rag-index/search/query-terms.ts";
import { parseListing } from "../../../src/sources/object-storage/object-listing.ts";
import { newCrawl } from "../../../src/sources/web/crawl-state.ts";
import { addNamedAddress, takeWaiting } from "../../../src/sources/web/frontier.ts";
import { readHtmlPage } from "../../../src/sources/web/pages/html-page.ts";
import { readSitemap } from "../../../src/sources/web/site/load-site.ts";
import { parseRobots, readDirectives, robotsAllow } from "../../../src/sources/web/site/robots.ts";
import { plainHeading } from "../../../src/text/heading-text.ts";
import { indexedTextsOf } from "../../../src/text/indexed-words.ts";
import { linearPattern } from "../../../src/text/linear-pattern/linear-pattern.ts";
import { neutralise, readPassages } from "../../../src/text/prompt-delimiters.ts";
import { splitSentences } from "../../../src/text/sentences.ts";
import { spellingsOf } from "../../../src/text/spellings.ts";
import { estimateTokens } from "../../../src/text/tokens.ts";
import { indexWordsOf, searchWordsOf } from "../../../src/text/words.ts";
import { docx, epub, odf, pptx, xlsx } from "../office-files.ts";
import { largePageOf } from "../pdf-of.ts";
import { extract, type Content } from "../read-document.ts";
import type { Grammar } from "./grammars.ts";

/** `of` makes the work on a text; only the work is measured. */
export type Target = {
  grammars: Grammar[];
  /** Characters that a sender may have this work on, at most. */
  most: number;
  of: (text: string) => () => unknown;
};

const DOCUMENT = 600_000;
const REQUEST = 400_000;
const SMALL = 64_000;

const file = (
  grammars: Grammar[],
  name: string,
  content: (text: string) => Content = (text) => text,
) => ({
  grammars,
  most: DOCUMENT,
  of: (text: string) => {
    const bytes = content(text);
    return () => extract(name, bytes);
  },
});

const work = (grammars: Grammar[], run: (text: string) => unknown, most = REQUEST): Target => ({
  grammars,
  most,
  of: (text) => () => run(text),
});

const settings = { chunkOverlap: 64, tokenizer: "unknown" as const, fileName: "a.md" };
const cut = (markdown: string, chunkSize: number) =>
  chunkDocument(
    { markdown, title: "a", language: null, pages: [], notes: [] },
    { ...settings, chunkSize },
  );

const KEY = "b".repeat(6);
const passage = (text: string) =>
  `<passage-${KEY} n="1" source="a: b.md">\n${text}\n</passage-${KEY}>\n\n<request-${KEY}>\nHow many days?\n</request-${KEY}>`;
const answer = (text: string) =>
  extractiveChat().doGenerate({ prompt: [{ role: "user", content: [{ type: "text", text }] }] });
const rerank = (query: string, text: string) =>
  lexicalReranker().model.doRerank({ query, documents: { type: "text", values: [text, "b"] } });
const SCHEMA = { type: "object", properties: { days: { type: "integer" } } };
const reading = readResponseSchema(JSON.stringify(SCHEMA));
const plan = reading.ok ? planOutput(reading.schema) : null;
const counts = { estimate: () => 1, shareOf: () => 1, chunks: () => 1_000 };
const page = new URL(`https://x.test/${"a/".repeat(900)}b`);

const BEHIND = parseConfig({ ENVIRONMENT: "development", TRUSTED_PROXIES: "10.0.0.0/8" });

/** A text that is drawn again and again on a page of a PDF, as often as are laid out at once. */
const str = "hello there you all";
const PAGE = LAID_OUT_AT_ONCE * str.length;
const layout = (
  placeOf: (at: number, count: number) => [x: number, line: number, width?: number],
  most = PAGE,
): Target => ({
  grammars: [],
  most,
  of: (text) => {
    const count = Math.ceil(text.length / str.length);
    const items = Array.from({ length: count }, (_item, at) => {
      const [x, line, width = 90] = placeOf(at, count);
      return { str, transform: [9, 0, 0, 9, x, -14 * line], width, height: 9, fontName: "f" };
    });
    return () => {
      const segments = runToEnd(segmentsOf(items, [1, 0, 0, -1, 0, 0]));
      return runToEnd(partsOf(segments)).map(
        (part) => part.kind === "text" && blockText(part.block),
      );
    };
  },
});

export const TARGETS = {
  "plain text": file(["prose", "unicode"], "a.txt"),
  Markdown: file(["markdown", "html"], "a.md"),
  HTML: file(["html", "unicode"], "a.html"),
  XML: file(["xml"], "a.xml"),
  RSS: file(["xml"], "a.rss", (text) => `<rss><channel>${text}`),
  JSON: file(["json"], "a.json"),
  notebook: file(["json"], "a.ipynb"),
  CSV: file(["csv"], "a.csv"),
  code: file(["prose"], "a.ts"),
  RTF: file(["rtf"], "a.rtf", (text) => `{\\rtf1 ${text}`),
  mail: file(["mail"], "a.eml"),
  mailbox: file(["mail"], "a.mbox"),
  "manual page": file(["man"], "a.man"),
  Word: file(["docx"], "a.docx", (text) => docx(`<w:p><w:r><w:t>x</w:t></w:r></w:p>${text}`)),
  Excel: file(["xlsx"], "a.xlsx", (text) => xlsx(text)),
  PowerPoint: file(["pptx"], "a.pptx", (text) => pptx([text])),
  "OpenDocument text": file(["odf"], "a.odt", (text) => odf("text", `<text:p>x</text:p>${text}`)),
  "OpenDocument sheet": file(["odf"], "a.ods", (text) =>
    odf("spreadsheet", `<table:table>${text}</table:table>`),
  ),
  PDF: file(["pdf"], "a.pdf", (text) =>
    largePageOf(`BT /F1 12 Tf 1 0 0 1 72 8900000 Tm (x) Tj\n${text}\nET`),
  ),
  "lines of a PDF": layout((at) => [9, at]),
  "a line of a PDF": layout((at) => [90 * at, 0]),
  "columns of a PDF": layout((at, count) => [200 * (at % (count >> 1)), at < count >> 1 ? 0 : 1]),
  "rows of a PDF that each add a column": layout(
    (at) => [at % 2 === 0 ? 9 : 200 * at, Math.floor(at / 2)],
    SMALL * 4,
  ),
  "lines of one row of a PDF": layout((at) => {
    const [group, nth] = [Math.floor(at / 11), at % 11];
    // The last line of five is drawn first.
    return nth < 3
      ? [100 * nth, group * 5 + 4]
      : [100 * (1 + ((nth - 3) % 2)), group * 5 + Math.floor((nth - 3) / 2)];
  }),
  "rows of a PDF below many cells": layout((at, count) => {
    if (at < 4) return at % 2 === 0 ? [0, at / 2] : [200, (at - 1) / 2, 1e9];
    return at * 2 < count ? [200 * (at - 3), 2] : [200, 3 + at - Math.ceil(count / 2)];
  }, SMALL * 4),
  "cells of a PDF that span others": layout(
    (at, count) => (at * 2 < count ? [200 * at, 0] : [200 * (at - count / 2), 1, 1e9]),
    SMALL * 4,
  ),
  EPUB: file(["html"], "a.epub", (text) =>
    epub({
      items: '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>',
      spine: '<itemref idref="a"/>',
      parts: { "o/a.xhtml": `<html><body>${text}` },
    }),
  ),
  "package of an EPUB": file(["parts"], "a.epub", (text) =>
    epub({ items: text, spine: text, parts: { "o/a.xhtml": "<p>x</p>" } }),
  ),
  "styles of Word": file(["parts"], "a.docx", (text) =>
    docx("<w:p><w:r><w:t>x</w:t></w:r></w:p>", {
      s: ["styles", `<w:styles>${text}</w:styles>`],
      n: ["numbering", `<w:numbering>${text}</w:numbering>`],
    }),
  ),
  "relationships of Word": file(["parts"], "a.docx", (text) =>
    docx("<w:p><w:r><w:t>x</w:t></w:r></w:p>", {}, { "word/_rels/m.xml.rels": `<r>${text}</r>` }),
  ),
  headers: work(["header"], (text) => [forwardedElements(text), parseStructured(text)], SMALL),
  "thoughts of a model": work(["answer"], (text) => withoutThinking(text)),
  chunks: work(["markdown", "prose"], (text) => cut(text, 512), DOCUMENT),
  "small chunks": work(["markdown", "unicode"], (text) => cut(text, 16), DOCUMENT),
  "large chunks": work(["markdown", "prose"], (text) => cut(text, 8_000), DOCUMENT),
  "indexed words": work(["prose", "unicode"], (text) => [
    indexWordsOf(text),
    spellingsOf(text),
    indexedTextsOf({ headings: [text.slice(0, 2_000)], text, languages: "de" }),
  ]),
  "sentences and tokens": work(["prose", "unicode"], (text) => [
    splitSentences(text),
    estimateTokens(text, "unknown"),
    detectLanguage(text),
    plainHeading(text),
    foldSpace(text),
  ]),
  duplicates: work(["unicode"], (text) => [foldForDuplicates(text), foldText(text)]),
  names: work(["unicode"], (text) => [identifierFrom(text), principalOf(`user:${text}`)]),
  query: work(["prose", "unicode"], (text) => [
    searchWordsOf(text),
    matchExpression(queryTerms(text, counts)),
    hashEmbedding(text, 256),
  ]),
  "query and passage": work(["prose", "unicode"], (text) =>
    Promise.all([rerank(text, "leave of absence"), rerank("leave of absence", text)]),
  ),
  prompt: work(["answer", "unicode"], (text) => [neutralise(text, KEY), answer(text)].at(-1)),
  "prompt with a passage": work(["answer", "prose"], (text) =>
    [readPassages(passage(text)), answer(passage(text))].at(-1),
  ),
  "answer of a model": work(["answer", "json"], (text) => [
    plan?.read(text),
    citeBlock({ ...withoutMarks(text, "bafebafe"), own: [] }, [text.slice(0, 8_000), "b"]),
  ]),
  "JSON Schema": work(["json"], (text) => readResponseSchema(text), SMALL),
  pattern: work(
    ["pattern"],
    (text) => linearPattern(text).test("aaaaaaaa", new Budget(4_000_000)),
    SMALL,
  ),
  "text of a pattern": work(["prose"], (text) =>
    linearPattern("^(a+|[^b]*b|\\w+\\s?)*$").test(text, new Budget(40_000_000)),
  ),
  "crawled page": work(["html"], (text) => runToEnd(readHtmlPage(text)), DOCUMENT * 4),
  "robots.txt": work(["web"], (text) => [
    robotsAllow(parseRobots(text, "quarry"), page),
    readDirectives(text),
  ]),
  "addresses of proxies": work([], (text) => {
    const headers = { Forwarded: `for=x${text}`, "X-Forwarded-For": text };
    const request = new Request("http://localhost/", { headers });
    return addressOf(BEHIND, Object.assign(request, { cf: { clientIp: "10.0.0.1:1" } }));
  }),
  sitemap: work(
    ["web"],
    (text) => readSitemap(new TextEncoder().encode(text), new AbortController().signal),
    DOCUMENT,
  ),
  "addresses beyond a crawl's limit": {
    grammars: [],
    most: SMALL * 4,
    of: (text) => {
      const crawl = newCrawl(["h.example"], false);
      const addresses = text.split(" ").map((name, at) => `https://h.example/${name}${at}`);
      for (const address of addresses) addNamedAddress(crawl, address, "link", 1);
      return () => takeWaiting(crawl, { maxPages: 0 }, 0);
    },
  },
  "bucket listing": work(["web"], (text) => runToEnd(parseListing(text)), DOCUMENT),
  "Markdown in the panel": work(["markdown", "prose"], async (text) =>
    String(await html`${Markdown({ text })}`),
  ),
} satisfies Record<string, Target>;

export type TargetName = keyof typeof TARGETS;
