import { env } from "cloudflare:workers";

import { METADATA_INDEXES } from "../../src/adapters/cloudflare/vectorize-index.ts";
import { hashEmbedding } from "../../src/adapters/embedded/hash-embedder.ts";
import { MINUTE_MS } from "../../src/core/time.ts";
import type { Env } from "../../src/env.ts";
import { VectorizeDouble } from "../doubles/vectorize/vectorize-double.ts";
import { WorkersAiDouble } from "../doubles/workers-ai/workers-ai-double.ts";

const DIMENSIONS = 1_024;

let now = () => Date.now();

/** Vectorize follows the clock of the world that was made last. */
export function followClock(clock: () => number): void {
  now = clock;
}

/**
 * The bindings that a suite runs on: the local default, or, in the project that says so, Vectorize
 * and Workers AI. The tests of one file share their storage, and so their Vectorize.
 */
export const testedEnv: Env = env.TEST_ADAPTERS === "production" ? production() : env;

function production(): Env {
  const vectorize = new VectorizeDouble({
    dimensions: DIMENSIONS,
    now: () => now(),
    visibleAfterMs: MINUTE_MS,
    metadataIndexes: METADATA_INDEXES,
  });
  const ai = new WorkersAiDouble({ embed: (text) => Array.from(hashEmbedding(text, DIMENSIONS)) });
  return Object.assign(
    { ...env },
    {
      VECTORIZE: vectorize as unknown as Vectorize,
      AI: ai as unknown as Ai,
      VECTOR_INDEX: "vectorize",
      EMBEDDING_MODEL: "workers-ai/@cf/baai/bge-m3",
    },
  );
}

export const usesVectorize = testedEnv.VECTORIZE !== undefined;
