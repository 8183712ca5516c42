import { estimateTokens } from "../text/tokens.ts";
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
  const groups = Map.groupBy(targets, keyOf);
  const started = new Map(
    [...groups].map(([key, group]) => [key, embedWith(call, group, queries)] as const),
  );
  return (target) => started.get(keyOf(target)) ?? embedWith(call, [target], queries);
}

async function embedWith(
  call: Call,
  targets: RetrievalTarget[],
  queries: string[],
): Promise<EmbeddedQueries> {
  const [target] = targets;
  if (target === undefined) return { vectors: null, fusionWeight: 0 };
  const { now, models } = call.services;
  const { embeddingModel: model, dimensions } = target.rag;
  const startedAt = now();
  let fusionWeight = 0;
  let inputTokens = 0;
  const vectors = await leg(
    call,
    { what: "embedding", kind: "embedding" },
    EMBEDDING_SHARE,
    async (signal) => {
      const embedder = models.embedder(model, dimensions);
      ({ fusionWeight } = embedder);
      const embedded = await embedTexts(embedder, queries, signal);
      inputTokens = embedded.tokens;
      return embedded.vectors;
    },
  );
  const ragIds = targets.map(({ rag }) => rag.id);
  const how = { calls: 1, inputTokens, latencyMs: now() - startedAt, failed: vectors === null };
  call.uses.push({ kind: "embedding", model, ragIds, ...how });
  return { vectors, fusionWeight };
}

export type EmbeddedTexts = {
  /** L2-normalised, in the texts' order. */
  vectors: Float32Array[];
  /** As the provider counts them; estimated where it does not tell. */
  tokens: number;
};

/**
 * As few calls as the model's batch limit allows.
 * @throws ModelFailure also when the model answers with vectors that cannot be meant.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: string[],
  signal: AbortSignal,
): Promise<EmbeddedTexts> {
  const batches: string[][] = [];
  for (let at = 0; at < texts.length; at += embedder.batchLimit) {
    const batch = texts.slice(at, at + embedder.batchLimit);
    batches.push(batch.map((text) => text.slice(0, embedder.inputLimit).toWellFormed()));
  }
  const replies = await Promise.all(
    batches.map(async (values) => {
      const { model, dimensions, tokenizer } = embedder;
      const reply = await model.doEmbed({ values, dimensions, abortSignal: signal });
      const { embeddings, usage } = reply;
      if (embeddings.length !== values.length) throw new ModelFailure("incomplete reply");
      const vectors = embeddings.map((embedding) => normalised(embedding, dimensions));
      const tokens = usage?.tokens ?? estimateTokens(values.join("\n"), tokenizer);
      return { vectors, tokens };
    }),
  );
  return {
    vectors: replies.flatMap(({ vectors }) => vectors),
    tokens: replies.reduce((sum, { tokens }) => sum + tokens, 0),
  };
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
