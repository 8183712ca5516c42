import { POSTINGS_LIMIT } from "../../../src/rag-index/search/query-terms.ts";
import { indexingCost, isLarge, monthOf, pineconeMonth } from "./capacity.ts";
import type { Basis, Case } from "./capacity.ts";
import type { Counts } from "./operation-counts.ts";
import type { Measured } from "./scenarios.ts";

const SIZES = [10_000, 100_000, 1_000_000, 20_000_000];
const RATES = [1, 10, 100];
const LOADS = SIZES.flatMap((chunks) => RATES.map((perSecond) => ({ chunks, perSecond })));

/** A retrieval asks one RAG of this size, or one that holds everything. */
const RAG_CHUNKS = 100_000;
const TEXT_BYTES_A_CHUNK = 1_600;

function basisOf({ scenarios, chunksAFile, indexBytesAChunk }: Measured): Basis {
  const countsOf = (prefix: string): Counts => {
    const scenario = scenarios.find(({ name }) => name.startsWith(prefix));
    if (scenario === undefined) throw new Error(`nothing was measured of ${prefix}`);
    return scenario.counts;
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
/** One figure, or two that differ. */
const either = (first: string, second: string) =>
  first === second ? first : `${first} / ${second}`;

/** From rare words to the bound. */
function span(basis: Basis, usage: Case): string {
  const [from, to] = (["rare", "bound"] as const).map((words) => monthOf(basis, usage, words));
  return `${dollars(from ?? 0)} – ${dollars(to ?? 0)}`;
}

/** The table of docs/scale-and-cost.md; prices and limits with their sources: prices.ts and there. */
export function capacityTable(measured: Measured): Record<string, string>[] {
  const basis = basisOf(measured);
  return LOADS.map(({ chunks, perSecond }) => {
    const split = { chunks, perSecond, ragChunks: Math.min(chunks, RAG_CHUNKS) };
    const whole = { chunks, perSecond, ragChunks: chunks };
    const indexing = (usage: Case) =>
      fewDollars(indexingCost(basis, chunks, isLarge(usage.ragChunks)));
    const pinecone = (usage: Case) => dollars(pineconeMonth(usage, TEXT_BYTES_A_CHUNK));
    return {
      passages: chunks.toLocaleString("en"),
      "retrievals a second": String(perSecond),
      "a month, in RAGs of 100,000": span(basis, split),
      "a month, in one RAG": span(basis, whole),
      "indexing once": either(indexing(split), indexing(whole)),
      "indexing 100,000 in Vectorize": fewDollars(indexingCost(basis, RAG_CHUNKS, true)),
      Pinecone: either(pinecone(split), pinecone(whole)),
    };
  });
}
