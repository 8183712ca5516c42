import { estimateTokens } from "../text/tokens.ts";
import { ModelFailure } from "../ports/models.ts";
import type { Embedder } from "../ports/models.ts";
import { runLeg } from "./degradations.ts";
import type { RetrievalCall } from "./degradations.ts";
import type { RetrievalTarget, SearchPlan } from "./retrieval-request.ts";

/** Share of the total time; the lexical leg, hydration and a reranker still follow. */
const EMBEDDING_SHARE = 0.5;

/** The queries as embedded by one model. */
export type EmbeddedQueries = {
  /** In the order of the queries. */
  vectors: Float32Array[];
  /** See `Embedder.fusionWeight`. */
  fusionWeight: number;
};

/** A RAG and the pending query vectors for it; null: the model failed. */
export type EmbeddedTarget = {
  target: RetrievalTarget;
  embedded: Promise<EmbeddedQueries | null>;
};

/**
 * Starts one embedding call for each different (model, dimensions) of the targets, whatever the
 * number of queries.
 */
export function embedQueries(
  call: RetrievalCall,
  { targets, queries }: SearchPlan,
): EmbeddedTarget[] {
  const groups = Map.groupBy(targets, ({ rag }) => `${rag.dimensions} ${rag.embeddingModel}`);
  return [...groups.values()].flatMap((group) => {
    const embedded = embedFor(call, group, queries);
    return group.map((target) => ({ target, embedded }));
  });
}

/** `targets` share one model and its dimensions. */
async function embedFor(
  call: RetrievalCall,
  targets: RetrievalTarget[],
  queries: string[],
): Promise<EmbeddedQueries | null> {
  const [first] = targets;
  if (first === undefined) return null;
  const { now, models } = call.services;
  const { embeddingModel: model, dimensions } = first.rag;
  const startedAt = now();
  const leg = { part: "embedding", kind: "embedding", share: EMBEDDING_SHARE } as const;
  const embedded = await runLeg(call, leg, async (signal) => {
    const embedder = models.embedder(model, dimensions);
    const { fusionWeight } = embedder;
    return { ...(await embedTexts(embedder, queries, signal)), fusionWeight };
  });
  call.report.used({
    kind: "embedding",
    model,
    ragIds: targets.map(({ rag }) => rag.id),
    calls: 1,
    inputTokens: embedded?.tokens ?? 0,
    latencyMs: now() - startedAt,
    failed: embedded === null,
  });
  return embedded;
}

export type EmbeddedTexts = {
  /** L2-normalised, in the texts' order. */
  vectors: Float32Array[];
  /** As the provider counts them; estimated where it does not report them. */
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
