import { extractiveChat } from "../../src/adapters/embedded/extractive-chat.ts";
import { hashEmbedder } from "../../src/adapters/embedded/hash-embedder.ts";
import { lexicalReranker } from "../../src/adapters/embedded/lexical-reranker.ts";
import { DOCUMENT_LIMIT_BYTES } from "../../src/core/document-limit.ts";
import { yieldNow, runCooperatively } from "../../src/core/work/cooperative.ts";
import { matchExpression, queryTerms } from "../../src/rag-index/search/query-terms.ts";
import { parseListing } from "../../src/sources/object-storage/object-listing.ts";
import { factsOf } from "../../src/sources/web/pages/html-page.ts";
import { readSitemap } from "../../src/sources/web/site/load-site.ts";
import { indexedTextsOf } from "../../src/text/indexed-words.ts";
import { neutralise } from "../../src/text/prompt-delimiters.ts";
import { longestStretch } from "../support/growth/growth.ts";
import { LONG_INPUTS, stepsOf, type Steps } from "../support/growth/long-inputs.ts";
import { bytesOf } from "../support/read-document.ts";

const MEGABYTE = 1e6;
const FIRST_BYTES = 20_000;
/** Turns that take longer count as too long, ms. */
const LONG_MS = 100;

const fill = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length));
const answer = (text: string) => () =>
  extractiveChat().doGenerate({ prompt: [{ role: "user", content: [{ type: "text", text }] }] });
const embed = (values: string[]) => () => hashEmbedder(1_024).model.doEmbed({ values });
const rerank = (query: string, values: string[]) => () =>
  lexicalReranker().model.doRerank({ query, documents: { type: "text", values } });
const { signal } = new AbortController();
const many = (length: number, text: string) => Array.from({ length }, () => text);
const counts = { estimate: () => 1, shareOf: () => 1, chunks: () => 1_000 };
const search = (text: string) => async () => matchExpression(queryTerms(text, counts));
const sitemap = (text: string) => {
  const bytes = bytesOf(text);
  return () => readSitemap(bytes, signal);
};
const crawl = (bytes: Uint8Array) => () => factsOf("text/html", bytes, null);

const PROSE = "Leave is thirty days a year for all who work here, and ten more after. ";
const MARKS = "a\u0301\u0316";

/** Other work, at the limit of what is taken, bytes or characters. */
const OTHERS: Record<string, [limit: number, work: (size: number) => () => PromiseLike<unknown>]> =
  {
    sitemap: [
      16e6,
      (size) => sitemap(`<urlset>${fill("<url><loc>https://a.b/c</loc></url>", size)}</urlset>`),
    ],
    "sitemap of lines": [25e6, (size) => sitemap(fill("https://a.b/c\n", size))],
    "bucket listing": [
      8e6,
      (size) => {
        const objects = fill("<Contents><Key>a</Key></Contents>", size);
        const listing = `<ListBucketResult>${objects}</ListBucketResult>`;
        return () => runCooperatively(parseListing(listing), yieldNow);
      },
    ],
    "crawled page": [25e6, (size) => crawl(bytesOf(fill("<a href=x>x</a>", size)))],
    "crawled page of unknown bytes": [25e6, (size) => crawl(new Uint8Array(size).fill(0xe9))],
    "texts to embed": [2e6, (size) => embed(many(256, fill(PROSE, size / 256)))],
    "long texts to embed": [4e6, (size) => embed(many(40, fill(PROSE, size / 40)))],
    "marks to embed": [1e6, (size) => embed(many(10, fill(MARKS, size / 10)))],
    "passages to rank": [
      4e6,
      (size) => rerank("days of leave", many(1_000, fill(PROSE, size / 1_000))),
    ],
    "prompt of prose": [1e6, (size) => answer(fill(PROSE, size))],
    "prompt of marks": [1e6, (size) => answer(fill(MARKS, size))],
    "prompt without hidden characters": [
      1e6,
      (size) => async () => neutralise(fill(MARKS, size), "b".repeat(24)),
    ],
    "query of prose": [16_384, (size) => search(fill(PROSE, size))],
    "query of words": [
      16_384,
      (size) => search(Array.from({ length: size / 7 }, (_word, at) => `w${at}`).join(" ")),
    ],
    "query of marks": [16_384, (size) => search(fill(MARKS, size))],
    "query of Han": [16_384, (size) => search(fill("\u6f22\u5b57", size))],
    "words to index": [
      4e5,
      (size) => async () =>
        indexedTextsOf({ headings: [], text: fill(PROSE, size), languages: "en" }),
    ],
  };

const WORKS: Record<string, { limit: number; generate: (size: number) => Steps }> = {
  ...Object.fromEntries(
    Object.keys(LONG_INPUTS).map((what) => [
      what,
      { limit: DOCUMENT_LIMIT_BYTES, generate: (size: number) => stepsOf(what, size) },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(OTHERS).map(([what, [limit, work]]) => [
      what,
      { limit, generate: (size: number) => ({ read: async () => await work(size)() }) },
    ]),
  ),
};

/**
 * `npm run bench -- stretches [MEGABYTES [NAME…]]`: the longest processor time, ms, for which nobody
 * else has a turn while something long is read and cut; of 1 MB and at the limit.
 */
export async function run([megabytes = "1,30", ...names]: string[]) {
  const rows = [];
  for (const [what, { limit, generate }] of Object.entries(WORKS)) {
    if (names.length > 0 && !names.some((name) => what.includes(name))) continue;
    for (const targetMegabytes of megabytes.split(",").map(Number)) {
      const size = Math.floor(Math.min(limit, targetMegabytes * MEGABYTE));
      const row: Record<string, unknown> = { what, MB: size / MEGABYTE };
      const started = performance.now();
      // The first run loads and compiles a reader, and is not counted.
      for (const work of Object.values(generate(FIRST_BYTES)))
        await Promise.resolve(work(yieldNow)).catch(() => null);
      for (const [part, work] of Object.entries(generate(size))) {
        let problem = "";
        const longest = await longestStretch((yieldToOthers) =>
          work(yieldToOthers).catch((error: unknown) => {
            problem = String(error).slice(0, 60);
          }),
        );
        row[part] = Math.round(longest);
        if (problem !== "") row["problem"] = problem;
      }
      row["seconds"] = Number(((performance.now() - started) / 1_000).toFixed(1));
      process.stderr.write(`${JSON.stringify(row)}\n`);
      rows.push(row);
    }
  }
  const isLong = (value: unknown) => typeof value === "number" && value > LONG_MS;
  const long = rows.filter(({ read, cut }: Record<string, unknown>) => isLong(read) || isLong(cut));
  console.table(long.length > 0 ? long : rows);
  return { works: rows.length, aboveMs: LONG_MS, long: long.length };
}
