import type { Counts } from "./operation-counts.ts";
import { bill, marginal, PINECONE, PLAN_A_MONTH, type Amounts } from "./prices.ts";

const SECONDS_A_MONTH = 30.4 * 24 * 60 * 60;
const DIMENSIONS = 1_024;
const BYTES_A_FLOAT = 4;
const CHARACTERS_A_TOKEN = 4;
const GIGABYTE = 1e9;
/** Write, read and delete of a message below 64 KB. */
const QUEUE_OPERATIONS_A_MESSAGE = 3;
/** `request`, which holds the retrieval's facts; the platform's own lines are off. */
const LOG_EVENTS_A_RETRIEVAL = 1;
/**
 * The note that usage was counted goes ten days later: at most three rows for ten seconds' calls.
 */
const forgottenRows = (perSecond: number) => Math.min(0.2, 0.3 / perSecond);
/** Assumed: the isolates that a load is spread over, each with an outbox of its own. */
const isolatesOf = (perSecond: number) => Math.max(10, perSecond / 50);
/** Assumed: the addresses that it comes from, each with a rate window of its own. */
const callersOf = (perSecond: number) => Math.max(10, perSecond / 100);
/** src/durable-objects/rate-window.ts: from then on one write a second, by a timer. */
const FAST_A_SECOND = 4;

/**
 * An isolate sends at once what comes a second or more after the last message, and collects the
 * rest: of calls that come at random, one message in 1 + e^-n / n seconds, n being its calls a
 * second (src/adapters/cloudflare/usage-outbox.ts).
 */
function messagesACall(perSecond: number): number {
  const rate = perSecond / isolatesOf(perSecond);
  return 1 / (rate + Math.exp(-rate));
}

/** Rows that a call writes in its rate window, and how long these keep the window awake. */
function windowOf(perSecond: number): { rows: number; awakeSeconds: number } {
  const rate = perSecond / callersOf(perSecond);
  return rate < FAST_A_SECOND
    ? { rows: 1, awakeSeconds: 0 }
    : { rows: 1 / rate, awakeSeconds: 1 / rate };
}
/** Measured: a word that stands in 1,500 chunks reads 3,000 rows more than one in none. */
const ROWS_A_POSTING = 2;
/** Assumed, not counted: processor of the Worker, and of its objects (128 MB of memory each). */
const CPU_MS_A_RETRIEVAL = 5;
const OBJECT_MS_A_RETRIEVAL = 10;
const OBJECT_GIGABYTES = 0.128;
/** With `VECTOR_INDEX=auto`: above, a RAG is searched in Vectorize (src/config.ts). */
const EXACT_SEARCH_CHUNKS = 100_000;
export const isLarge = (ragChunks: number) => ragChunks > EXACT_SEARCH_CHUNKS;
/** Above, bits preselect; rows that scoring 132 clustered vectors reads (measured). */
const WHOLE_IN_MEMORY_CHUNKS = 22_528;
const VECTORS_SCORED = 300;
/** There, 100 neighbours and 116 matches of the words are named by rows: two each, as counted. */
const NAMED_ROWS = 432;
/** FTS5 reads them for words that are new since the last write; the count repeats one question. */
const NEW_WORDS_ROWS = 256;
/** Rows that a retrieval reads on top in an index object of a RAG in Vectorize, as counted. */
const VECTORIZE_ROWS = 936;
/** Rows that a file of ten chunks writes more where Vectorize holds its vectors, as counted. */
const SYNC_ROWS_A_FILE = 41;
/** Rows of D1 and bytes in R2 that a file of 20 chunks keeps, about. */
const D1_BYTES_A_FILE = 1_500;
const MINUTES_A_MONTH = SECONDS_A_MONTH / 60;

export type Basis = {
  retrieval: Counts;
  indexedFile: Counts;
  beat: Counts;
  chunksAFile: number;
  indexBytesAChunk: number;
  /** Most postings that the lexical leg reads, whatever the RAG's size. */
  postingsLimit: number;
};

/** `ragChunks`: of the RAG that a retrieval asks, which is one of several or holds them all. */
export type Case = { chunks: number; perSecond: number; ragChunks: number };

/** As db/generation-store.ts spreads a RAG: room for twice as many, 32 at most. */
const CHUNKS_A_SHARD = 250_000;
const MAX_SHARDS = 32;
const shardsOf = (chunks: number) =>
  chunks <= CHUNKS_A_SHARD
    ? 1
    : Math.min(MAX_SHARDS, 1 + Math.floor((2 * chunks) / CHUNKS_A_SHARD));

/** `rare`: words that stand in few chunks, as counted; `bound`: as many postings as may be read. */
export type Words = "rare" | "bound";

/** One retrieval's use in the units of the bill; every shard is asked twice. */
function retrievalAmounts(
  { retrieval, postingsLimit }: Basis,
  { ragChunks, perSecond }: Case,
  words: Words,
): Amounts {
  const window = windowOf(perSecond);
  const shards = shardsOf(ragChunks);
  const postings = shards * Math.min(ragChunks / shards, postingsLimit);
  const rowsRead =
    words === "rare"
      ? (retrieval.objectRowsRead + NEW_WORDS_ROWS) * shards
      : retrieval.objectRowsRead + postings * ROWS_A_POSTING;
  const indexCalls = retrieval.objectCalls - 1;
  const isInVectorize = isLarge(ragChunks);
  const namedRows = ragChunks <= WHOLE_IN_MEMORY_CHUNKS ? 0 : NAMED_ROWS;
  const moreRows = (isInVectorize ? VECTORIZE_ROWS : namedRows) * shards;
  const vectorsRead = isInVectorize || ragChunks <= WHOLE_IN_MEMORY_CHUNKS ? 0 : VECTORS_SCORED;
  return {
    requests: retrieval.executions,
    cpuMs: CPU_MS_A_RETRIEVAL,
    logEvents: LOG_EVENTS_A_RETRIEVAL,
    d1RowsRead: retrieval.d1RowsRead,
    d1RowsWritten: retrieval.d1RowsWritten + forgottenRows(perSecond),
    objectCalls: 1 + indexCalls * shards,
    objectGbSeconds:
      ((OBJECT_MS_A_RETRIEVAL * shards) / 1_000 + window.awakeSeconds) * OBJECT_GIGABYTES,
    objectRowsRead: rowsRead + vectorsRead + moreRows,
    objectRowsWritten: window.rows,
    queriedDimensions: isInVectorize ? DIMENSIONS : 0,
    embeddedTokens: retrieval.modelCharacters / CHARACTERS_A_TOKEN,
    queueOperations: messagesACall(perSecond) * QUEUE_OPERATIONS_A_MESSAGE,
  };
}

/** A month's storage and maintenance without any retrieval. */
function standing(
  { beat, chunksAFile, indexBytesAChunk }: Basis,
  { chunks, ragChunks }: Case,
): Amounts {
  const files = chunks / chunksAFile;
  return {
    storedDimensions: isLarge(ragChunks) ? chunks * DIMENSIONS : 0,
    objectGigabytes: (chunks * indexBytesAChunk) / GIGABYTE,
    d1Gigabytes: (files * D1_BYTES_A_FILE) / GIGABYTE,
    d1RowsRead: beat.d1RowsRead * MINUTES_A_MONTH,
    d1RowsWritten: beat.d1RowsWritten * MINUTES_A_MONTH,
    objectCalls: MINUTES_A_MONTH,
  };
}

function added(first: Amounts, second: Amounts): Amounts {
  const sum: Record<string, number> = { ...first };
  for (const [item, amount] of Object.entries(second)) sum[item] = (sum[item] ?? 0) + amount;
  return sum;
}

function times(amounts: Amounts, factor: number): Amounts {
  const scaled = Object.entries(amounts).map(([item, amount]) => [item, amount * factor]);
  return Object.fromEntries(scaled) as Amounts;
}

export function monthOf(basis: Basis, usage: Case, words: Words): number {
  const { perSecond } = usage;
  const calls = perSecond * SECONDS_A_MONTH;
  const all = added(standing(basis, usage), times(retrievalAmounts(basis, usage, words), calls));
  return PLAN_A_MONTH + bill(all);
}

/** Cost of indexing so many chunks once, without allowances. */
export function indexingCost(
  { indexedFile, chunksAFile }: Basis,
  chunks: number,
  isInVectorize: boolean,
): number {
  const files = chunks / chunksAFile;
  return marginal(
    times(
      {
        requests: indexedFile.executions,
        d1RowsRead: indexedFile.d1RowsRead,
        d1RowsWritten: indexedFile.d1RowsWritten,
        objectCalls: indexedFile.objectCalls,
        objectRowsRead: indexedFile.objectRowsRead,
        objectRowsWritten: indexedFile.objectRowsWritten + (isInVectorize ? SYNC_ROWS_A_FILE : 0),
        // Vectors that are written to Vectorize count as queried once.
        queriedDimensions: isInVectorize ? chunksAFile * DIMENSIONS : 0,
        embeddedTokens: indexedFile.modelCharacters / CHARACTERS_A_TOKEN,
        queueOperations: indexedFile.queueMessages * QUEUE_OPERATIONS_A_MESSAGE,
        r2Writes: indexedFile.r2Writes,
        r2Reads: indexedFile.r2Reads,
      },
      files,
    ),
  );
}

/** `ragChunks` of a namespace: a query reads its own alone. */
export function pineconeMonth(
  { chunks, perSecond, ragChunks }: Case,
  textBytesAChunk: number,
): number {
  const bytesAChunk = DIMENSIONS * BYTES_A_FLOAT + textBytesAChunk;
  const gigabytes = (chunks * bytesAChunk) / GIGABYTE;
  const queryUnits = Math.max(PINECONE.leastUnitsAQuery, (ragChunks * bytesAChunk) / GIGABYTE);
  const units = queryUnits * perSecond * SECONDS_A_MONTH;
  const used = gigabytes * PINECONE.gigabyteMonth + (units / 1_000_000) * PINECONE.millionReadUnits;
  return Math.max(PINECONE.leastAMonth, used);
}
