import type { EmbeddingModelV4, EmbeddingModelV4CallOptions } from "@ai-sdk/provider";

import { hash32 } from "../../core/hash.ts";
import { stemOf } from "../../text/stems.ts";
import { withoutStopWords } from "../../text/stop-words.ts";
import { searchWordsOf } from "../../text/words.ts";
import type { Embedder } from "../../ports/models.ts";

const HASH_EMBEDDER_NAME = "embedded/hash";

/** Characters per gram. Measured: 4 is better than 3, 5 and mixtures of them. */
const GRAM_LENGTH = 4;
/** The vectors overlap with BM25: weights of 0.05 to 0.2 measure alike, larger ones are worse. */
const FUSION_WEIGHT = 0.1;
const BATCH_LIMIT = 256;
/** Longer texts are truncated, so that one text cannot block the thread. */
const INPUT_LIMIT_CHARACTERS = 100_000;

/**
 * The grams of a text: each word without stop words, Porter-stemmed and put between two blanks,
 * gives its overlapping runs of four characters; a shorter word gives itself with its blanks.
 */
function countGrams(text: string): Map<string, number> {
  // Each word is cut into grams once: half of the words of a text are repeats.
  const words = new Map<string, number>();
  for (const word of withoutStopWords(searchWordsOf(text))) {
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  const counts = new Map<string, number>();
  for (const [word, times] of words) {
    const padded = ` ${stemOf(word)} `;
    const last = Math.max(0, padded.length - GRAM_LENGTH);
    for (let at = 0; at <= last; at++) {
      const gram = padded.slice(at, at + GRAM_LENGTH);
      counts.set(gram, (counts.get(gram) ?? 0) + times);
    }
  }
  return counts;
}

/**
 * Signed feature hashing (Weinberger et al., 2009) of character 4-grams. With h = hash32(gram):
 * v[h mod dimensions] += (h's lowest bit ? -1 : 1) · (1 + ln count), where the position is taken
 * from the other bits; then v is divided by its Euclidean length. A text without words has no
 * direction: its vector is all zeros, and its cosine with anything is 0.
 */
export function hashEmbedding(text: string, dimensions: number): number[] {
  const vector = new Float64Array(dimensions);
  for (const [gram, count] of countGrams(text)) {
    const hash = hash32(gram);
    const at = (hash >>> 1) % dimensions;
    const weight = count === 1 ? 1 : 1 + Math.log(count);
    vector[at] = (vector[at] ?? 0) + (hash & 1 ? -weight : weight);
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  const scale = length === 0 ? 0 : 1 / length;
  // A fraction of what `Array.from` takes.
  const unit: number[] = [];
  for (const value of vector) unit.push(value * scale);
  return unit;
}

/** An embedding without a model: deterministic, no network, the same everywhere. */
export function hashEmbedder(dimensions: number): Embedder {
  const model: EmbeddingModelV4 = {
    specificationVersion: "v4",
    provider: "embedded",
    modelId: "hash",
    maxEmbeddingsPerCall: BATCH_LIMIT,
    supportsParallelCalls: true,
    async doEmbed({ values, abortSignal }: EmbeddingModelV4CallOptions) {
      abortSignal?.throwIfAborted();
      const embeddings = values.map((value) =>
        hashEmbedding(value.slice(0, INPUT_LIMIT_CHARACTERS), dimensions),
      );
      return { embeddings, warnings: [] };
    },
  };
  return {
    name: HASH_EMBEDDER_NAME,
    dimensions,
    model,
    batchLimit: BATCH_LIMIT,
    tokenizer: "unknown",
    inputLimit: INPUT_LIMIT_CHARACTERS,
    fusionWeight: FUSION_WEIGHT,
  };
}
