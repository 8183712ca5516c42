import Table from "cli-table3";

import { POSTINGS_LIMIT } from "../../src/index-store/query-terms.ts";
import { ALL_LIMITS, indexingCost, limitsMet, monthOf, pineconeMonth } from "./support/capacity.ts";
import type { Basis } from "./support/capacity.ts";
import type { Counts } from "./support/operation-counts.ts";
import { PRICES } from "./support/prices.ts";
import { measureScenarios } from "./support/scenarios.ts";
import type { Measured } from "./support/scenarios.ts";

const BARS: Record<string, number> = {
  "GET /api/rags": 3,
  "a retrieval, the first": 5,
  "a retrieval, warm": 5,
  "a retrieval with reranking": 6,
  "an inference": 6,
};

const shown = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(1));

/**
 * `npm run bench -- round-trips`: what each thing that the service does asks the platform for,
 * counted at the bindings, over doubles of Vectorize and Workers AI; rows as D1 and the objects'
 * databases report them (of single reads by drizzle D1 reports none).
 */
export async function run(): Promise<Record<string, unknown>> {
  const measured = await measureScenarios();
  const { scenarios, chunksAFile, indexBytesAChunk } = measured;
  const [first] = scenarios;
  const columns = Object.keys(first?.counts ?? {});
  const table = new Table({
    head: ["", ...columns.map((name) => name.replace(/([A-Z])/g, "\n$1"))],
  });
  for (const { name, counts } of scenarios) table.push([name, ...Object.values(counts).map(shown)]);
  console.log(table.toString());
  const over = scenarios.filter(({ name, counts }) => counts.rounds > (BARS[name] ?? Infinity));
  for (const { name, counts } of over) {
    console.error(`${name}: ${counts.rounds} round trips, the bar is ${BARS[name]}`);
    process.exitCode = 1;
  }
  return { scenarios, chunksAFile, indexBytesAChunk, capacity: capacityTable(measured) };
}

const CHUNKS = [10_000, 1_000_000, 20_000_000];
const PER_SECOND = [1, 100, 2_000];
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

/** Prices and limits: support/prices.ts and support/capacity.ts, with their sources. */
function capacityTable(measured: Measured) {
  const basis = basisOf(measured);
  const head = [
    "chunks",
    "per second",
    "a month",
    "largest part",
    "indexing once",
    "Pinecone",
    "beyond",
  ];
  const table = new Table({ head, wordWrap: true, colWidths: [12, 8, 10, 22, 10, 12, 48] });
  const rows = CHUNKS.flatMap((chunks) =>
    PER_SECOND.map((perSecond) => {
      const month = monthOf(basis, { chunks, perSecond });
      return {
        chunks,
        perSecond,
        month: Math.round(month.total),
        largest: month.largest,
        largestCost: Math.round(month.largestCost),
        indexing: Math.round(indexingCost(basis, chunks)),
        pinecone: Math.round(pineconeMonth({ chunks, perSecond }, TEXT_BYTES_A_CHUNK)),
        limits: limitsMet(basis, { chunks, perSecond }).map(({ name }) => name),
      };
    }),
  );
  for (const row of rows) {
    table.push([
      row.chunks.toLocaleString("en"),
      row.perSecond,
      dollars(row.month),
      `${row.largest} ${dollars(row.largestCost)}`,
      dollars(row.indexing),
      dollars(row.pinecone),
      row.limits.join(", "),
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
