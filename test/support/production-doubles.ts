import { METADATA_INDEXES } from "../../src/adapters/cloudflare/vectorize-index.ts";
import { hashEmbedding } from "../../src/adapters/embedded/hash-embedder.ts";
import { VectorizeDouble } from "../doubles/vectorize/vectorize-double.ts";
import { WorkersAiDouble } from "../doubles/workers-ai/workers-ai-double.ts";

const DIMENSIONS = 1_024;

/** Vectorize and Workers AI as bindings, and the variables that choose them. */
export function productionDoubles(visibleAfterMs: number, now: () => number = Date.now) {
  const vectorize = new VectorizeDouble({
    dimensions: DIMENSIONS,
    now,
    visibleAfterMs,
    metadataIndexes: METADATA_INDEXES,
  });
  const ai = new WorkersAiDouble({ embed: (text) => Array.from(hashEmbedding(text, DIMENSIONS)) });
  return {
    VECTORIZE: vectorize as unknown as Vectorize,
    AI: ai as unknown as Ai,
    VECTOR_INDEX: "vectorize",
    EMBEDDING_MODEL: "workers-ai/@cf/baai/bge-m3",
  };
}
