import { ModelFailure } from "../ports/models.ts";
import type { Embedder } from "../ports/models.ts";
import { leg } from "./leg.ts";
import type { Call } from "./leg.ts";
import type { RetrievalTarget } from "./types.ts";

/** Of the whole budget; a lexical leg, hydration and a reranker still come after it. */
const EMBEDDING_SHARE = 0.5;

/** The queries as one embedding model sees them; `vectors` null: the model was lost. */
export type EmbeddedQueries = { vectors: Float32Array[] | null; fusionWeight: number };

const keyOf = ({ rag }: RetrievalTarget) => `${rag.dimensions} ${rag.embeddingModel}`;

/**
 * Starts one embedding call for each different (model, dimensions) of the targets, whatever the
 * number of queries, and hands each target the one that is its own.
 */
export function embedQueries(
  call: Call,
  targets: RetrievalTarget[],
  queries: string[],
): (target: RetrievalTarget) => Promise<EmbeddedQueries> {
  const started = new Map<string, Promise<EmbeddedQueries>>();
  for (const target of targets) {
    const key = keyOf(target);
    if (!started.has(key)) started.set(key, embedWith(call, target, queries));
  }
  return (target) => started.get(keyOf(target)) ?? embedWith(call, target, queries);
}

async function embedWith(
  call: Call,
  { rag }: RetrievalTarget,
  queries: string[],
): Promise<EmbeddedQueries> {
  let fusionWeight = 0;
  const vectors = await leg(call, "embedding", EMBEDDING_SHARE, async (signal) => {
    const embedder = call.services.models.embedder(rag.embeddingModel, rag.dimensions);
    ({ fusionWeight } = embedder);
    return embedTexts(embedder, queries, signal);
  });
  return { vectors, fusionWeight };
}

/**
 * L2-normalised vectors in the texts' order; as few calls as the model's batch limit allows.
 * @throws ModelFailure also when the model answers with vectors that cannot be meant.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const batches: string[][] = [];
  for (let at = 0; at < texts.length; at += embedder.batchLimit) {
    const batch = texts.slice(at, at + embedder.batchLimit);
    batches.push(batch.map((text) => text.slice(0, embedder.inputLimit).toWellFormed()));
  }
  const replies = await Promise.all(
    batches.map(async (values) => {
      const { model, dimensions } = embedder;
      const { embeddings } = await model.doEmbed({ values, dimensions, abortSignal: signal });
      if (embeddings.length !== values.length) throw new ModelFailure("incomplete reply");
      return embeddings.map((embedding) => normalised(embedding, dimensions));
    }),
  );
  return replies.flat();
}

function normalised(embedding: number[], dimensions: number): Float32Array {
  if (embedding.length !== dimensions) {
    const told = `${embedding.length} dimensions where EMBEDDING_DIMENSIONS says ${dimensions}`;
    throw new ModelFailure(`a vector of ${told}`);
  }
  const vector = Float32Array.from(embedding);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length)) throw new ModelFailure("a vector that is no numbers");
  // A text without any feature has no direction: it is similar to nothing.
  return length === 0 ? vector : vector.map((value) => value / length);
}
