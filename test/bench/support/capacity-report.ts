import Table from "cli-table3";

import { POSTINGS_LIMIT } from "../../../src/rag-index/search/query-terms.ts";
import {
  ALL_LIMITS,
  indexingCost,
  isLarge,
  limitsMet,
  monthOf,
  pineconeMonth,
} from "./capacity.ts";
import type { Basis, Case } from "./capacity.ts";
import { markdownTable } from "./markdown.ts";
import type { Counts } from "./operation-counts.ts";
import { PRICES } from "./prices.ts";
import type { Measured } from "./scenarios.ts";

/** What most deployments have, then what is larger. */
const USUAL = { chunks: [10_000, 100_000], perSecond: [1, 10] };
const SIZES = [10_000, 100_000, 1_000_000, 20_000_000];
const RATES = [1, 10, 100, 2_000];

type Load = { chunks: number; perSecond: number };
const isUsual = ({ chunks, perSecond }: Load) =>
  USUAL.chunks.includes(chunks) && USUAL.perSecond.includes(perSecond);
const everyLoad = SIZES.flatMap((chunks) =>
  RATES.map((perSecond): Load => ({ chunks, perSecond })),
);
const LOADS = [...everyLoad.filter(isUsual), ...everyLoad.filter((load) => !isUsual(load))];

/** A retrieval asks one RAG of this size, or one that holds everything. */
const RAG_CHUNKS = 100_000;
const TEXT_BYTES_A_CHUNK = 1_600;

function basisOf({ scenarios, chunksAFile, indexBytesAChunk }: Measured): Basis {
  const countsOf = (prefix: string): Counts => {
    const found = scenarios.find(({ name }) => name.startsWith(prefix));
    if (found === undefined) throw new Error(`nothing was measured of ${prefix}`);
    return found.counts;
  };
  return {
    retrieval: countsOf("a retrieval, of"),
    indexedFile: countsOf("the same, of"),
    beat: countsOf("a beat"),
    chunksAFile,
    indexBytesAChunk,
    postingsLimit: POSTINGS_LIMIT,
  };
}

const dollars = (amount: number) => `$${Math.round(amount).toLocaleString("en")}`;

/** Cents matter where it costs a few dollars. */
const fewDollars = (amount: number) => (amount < 10 ? `$${amount.toFixed(2)}` : dollars(amount));
const indexed = (one: number, other: number) => `${fewDollars(one)} / ${fewDollars(other)}`;

export const shown = (value: number) =>
  Number.isInteger(value) ? String(value) : value.toFixed(1);

/** From rare words to the bound. */
function span(basis: Basis, of: Case) {
  const [from, to] = (["rare", "bound"] as const).map((words) => monthOf(basis, of, words));
  return { from: from?.total ?? 0, to: to?.total ?? 0, largest: to?.largest ?? "" };
}

const spanned = ({ from, to }: { from: number; to: number }) => `${dollars(from)} – ${dollars(to)}`;

/** Prices and limits: prices.ts and capacity.ts, with their sources. */
export function capacityTable(measured: Measured) {
  const basis = basisOf(measured);
  const head = ["chunks", "a second", "RAGs of 100,000", "one RAG", "largest part", "beyond"];
  const table = new Table({ head: [...head, "indexing once", "Pinecone", "in one namespace"] });
  const rows = LOADS.map(({ chunks, perSecond }) => {
    const split = { chunks, perSecond, ragChunks: Math.min(chunks, RAG_CHUNKS) };
    const whole = { chunks, perSecond, ragChunks: chunks };
    return {
      chunks,
      perSecond,
      inSmallRags: span(basis, split),
      inOneRag: span(basis, whole),
      limits: limitsMet(basis, whole).map(({ name }) => name),
      indexing: indexingCost(basis, chunks, isLarge(split.ragChunks)),
      indexingOfOne: indexingCost(basis, chunks, isLarge(chunks)),
      indexingInVectorize: indexingCost(basis, chunks, true),
      pinecone: pineconeMonth(split, TEXT_BYTES_A_CHUNK),
      pineconeOfOne: pineconeMonth(whole, TEXT_BYTES_A_CHUNK),
    };
  });
  for (const row of rows) {
    table.push([
      row.chunks.toLocaleString("en"),
      row.perSecond,
      spanned(row.inSmallRags),
      spanned(row.inOneRag),
      row.inSmallRags.largest,
      row.limits.join("\n"),
      indexed(row.indexing, row.indexingOfOne),
      dollars(row.pinecone),
      dollars(row.pineconeOfOne),
    ]);
  }
  console.log(table.toString());
  const limits = new Table({ head: ["limit", "where it is", "source"] });
  for (const { name, at, source } of ALL_LIMITS) limits.push([name, at, source]);
  console.log(limits.toString());
  const prices = new Table({ head: ["item", "dollars", "for", "included", "source"] });
  for (const [item, { per, unit, included, source }] of Object.entries(PRICES)) {
    const number = (amount: number) => amount.toLocaleString("en");
    prices.push([item, per, number(unit), number(included), source]);
  }
  console.log(prices.toString());
  return rows;
}

type Capacity = ReturnType<typeof capacityTable>;

/** The tables of docs/scale-and-cost.md: what is counted, then costs of usual and larger loads. */
export function scaleTables({ scenarios }: Measured, capacity: Capacity): string {
  const counted = scenarios.map(({ name, counts }) => [
    name,
    counts.rounds,
    shown(counts.d1Calls),
    `${shown(counts.d1RowsRead)} / ${shown(counts.d1RowsWritten)}`,
    shown(counts.objectCalls),
    `${shown(counts.objectRowsRead)} / ${shown(counts.objectRowsWritten)}`,
    `${shown(counts.vectorQueries)} / ${shown(counts.vectorWrites)}`,
    shown(counts.modelCalls),
    shown(counts.queueMessages),
    `${shown(counts.r2Reads)} / ${shown(counts.r2Writes)}`,
  ]);
  const usual = capacity
    .filter(isUsual)
    .map((row) => [
      row.chunks.toLocaleString("en"),
      row.perSecond.toLocaleString("en"),
      spanned(row.inOneRag),
      indexed(row.indexing, row.indexingInVectorize),
      row.limits.join(", ") || "–",
      dollars(row.pineconeOfOne),
    ]);
  const larger = capacity
    .filter((row) => !isUsual(row))
    .map((row) => [
      row.chunks.toLocaleString("en"),
      row.perSecond.toLocaleString("en"),
      spanned(row.inSmallRags),
      spanned(row.inOneRag),
      indexed(row.indexing, row.indexingOfOne),
      row.limits.join(", ") || "–",
      `${dollars(row.pinecone)} / ${dollars(row.pineconeOfOne)}`,
    ]);
  return [
    markdownTable(
      [
        "",
        "one after the other",
        "D1 calls",
        "rows read / written",
        "object calls",
        "their rows read / written",
        "vectors queried / written",
        "model calls",
        "messages",
        "R2 reads / writes",
      ],
      counted,
    ),
    markdownTable(
      [
        "passages",
        "retrievals a second",
        "a month",
        "indexing once, `auto` / `vectorize`",
        "limits to raise",
        "Pinecone",
      ],
      usual,
    ),
    markdownTable(
      [
        "passages",
        "retrievals a second",
        "a month, in RAGs of 100,000",
        "a month, in one RAG",
        "indexing once, the same two",
        "limits to raise or go round",
        "Pinecone, the same two",
      ],
      larger,
    ),
  ].join("\n\n");
}
