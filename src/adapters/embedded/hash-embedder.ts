import type { EmbeddingModelV4, EmbeddingModelV4CallOptions } from "@ai-sdk/provider";

import { hashPart } from "../../core/hash.ts";
import { yieldNow, Pace } from "../../core/work/cooperative.ts";
import { stemOf } from "../../text/stems.ts";
import { isStopWord } from "../../text/stop-words.ts";
import { WordMemory } from "../../text/word-memory.ts";
import { searchTextOf } from "../../text/words.ts";
import { HashCounts } from "./hash-counts.ts";

/** Characters per gram. Measured: 4 is better than 3, 5 and mixtures of them. */
const GRAM_LENGTH = 4;
/** The vectors overlap with BM25: weights of 0.05 to 0.2 measure alike, larger ones are worse. */
const FUSION_WEIGHT = 0.1;
const BATCH_LIMIT = 256;
/** Longer texts are truncated, so that one text cannot block the thread. */
const INPUT_LIMIT_CHARACTERS = 100_000;

/** In characters: what a vector and a word take beside their text. Each character of Han begins a word. */
const [VECTOR_COST, WORD_COST] = [256, 8];

type WordGrams = { isStopWord: boolean; hashes: Int32Array };

/** The word's stem between blanks gives overlapping runs of four characters, a short one itself. */
const gramsOf = new WordMemory<WordGrams>((word) => {
  const padded = ` ${stemOf(word)} `;
  const last = Math.max(0, padded.length - GRAM_LENGTH);
  const hashes = new Int32Array(last + 1);
  for (let at = 0; at <= last; at++) {
    hashes[at] = hashPart(padded, at, Math.min(padded.length, at + GRAM_LENGTH));
  }
  return { isStopWord: isStopWord(word), hashes };
});

const counts = new HashCounts();
/** Words of the text whose grams were counted last. */
let wordCount = 0;
const addAll = ({ hashes }: WordGrams) => counts.addAll(hashes);
const addUnlessStopWord = ({ isStopWord: isStop, hashes }: WordGrams) => {
  wordCount += 1;
  if (!isStop) counts.addAll(hashes);
};

/** Counts the grams of a text's words; stop words count where there is nothing else. */
function countGrams(text: string): void {
  counts.clear();
  wordCount = 0;
  const words = searchTextOf(text);
  gramsOf.visit(words, addUnlessStopWord);
  if (counts.size === 0) gramsOf.visit(words, addAll);
}

/**
 * Signed feature hashing (Weinberger et al., 2009) of 4-grams: with h = hash32(gram), v[h mod
 * dimensions] += (h's lowest bit ? -1 : 1) · (1 + ln count), the position from the other bits; then
 * v is normalised. A text without words is all zeros, with cosine 0.
 */
export function hashEmbedding(text: string, dimensions: number): number[] {
  countGrams(text);
  const vector = new Float64Array(dimensions);
  counts.addWeightsTo(vector);
  let squares = 0;
  for (let at = 0; at < dimensions; at++) {
    const value = vector[at] ?? 0;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  const scale = length === 0 ? 0 : 1 / length;
  // oxlint-disable-next-line unicorn/no-new-array -- takes a fifth of what `push` or `Array.from` do
  const unit = new Array<number>(dimensions);
  for (let at = 0; at < dimensions; at++) unit[at] = (vector[at] ?? 0) * scale;
  return unit;
}

/** An embedding without a model: deterministic, no network, the same everywhere. */
export function hashEmbedder(dimensions: number) {
  const model: EmbeddingModelV4 = {
    specificationVersion: "v4",
    provider: "embedded",
    modelId: "hash",
    maxEmbeddingsPerCall: BATCH_LIMIT,
    supportsParallelCalls: true,
    async doEmbed({ values, abortSignal }: EmbeddingModelV4CallOptions) {
      abortSignal?.throwIfAborted();
      // Its tokens are words: to estimate another model's would take a fifth as long as the vectors.
      let tokens = 0;
      const pace = new Pace(yieldNow);
      const embeddings: number[][] = [];
      for (const value of values) {
        embeddings.push(hashEmbedding(value.slice(0, INPUT_LIMIT_CHARACTERS), dimensions));
        tokens += wordCount;
        await pace.count(value.length + wordCount * WORD_COST + VECTOR_COST);
      }
      return { embeddings, usage: { tokens }, warnings: [] };
    },
  };
  const facts = { inputLimit: INPUT_LIMIT_CHARACTERS, fusionWeight: FUSION_WEIGHT };
  return { model, batchLimit: BATCH_LIMIT, ...facts };
}
