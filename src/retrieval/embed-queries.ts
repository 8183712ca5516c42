import { embedTexts } from "../catalog/models/embed-texts.ts";
import { modelNotice } from "../ports/models.ts";
import { runLeg, type RetrievalCall } from "./degradations.ts";
import type { RetrievalTarget, SearchPlan } from "./retrieval-request.ts";

/** Share of the total time; the search of the index and a reranker still follow. */
const EMBEDDING_SHARE = 0.5;

export type EmbeddedQueries = {
  /** In the order of the queries. */
  vectors: Float32Array[];
  fusionWeight: number;
};

/** A RAG and the pending query vectors for it; null: the model failed. */
export type EmbeddedTarget = {
  target: RetrievalTarget;
  embedded: Promise<EmbeddedQueries | null>;
};

/** Starts one embedding call for each different (model, dimensions) of the targets. */
export function embedQueries(
  call: RetrievalCall,
  { targets, queries, searched }: SearchPlan,
): EmbeddedTarget[] {
  const groups = Map.groupBy(targets, ({ rag }) =>
    JSON.stringify([rag.dimensions, rag.embeddingModel, rag.modelChangedAt > 0]),
  );
  return [...groups.values()].flatMap((group) => {
    // Similarities are to the queries alone.
    const isSemantic = group.every(({ rag }) => rag.searchMode === "semantic");
    const embedded = embedFor(call, group, isSemantic ? queries : searched);
    return group.map((target) => ({ target, embedded }));
  });
}

/** `targets` share one model and its dimensions. */
async function embedFor(call: RetrievalCall, targets: RetrievalTarget[], queries: string[]) {
  const [first] = targets;
  if (first === undefined) return null;
  const { now, models, runInBackground } = call.services;
  const { embeddingModel: model, dimensions } = first.rag;
  if (first.rag.modelChangedAt > 0) {
    call.report.addDegradation("embedding", `embedding: ${modelNotice(model)}`);
    return null;
  }
  const startedAt = now();
  const leg = { part: "embedding", kind: "embedding", share: EMBEDDING_SHARE } as const;
  const embedded = await runLeg(call, leg, async (signal) => {
    const embedder = models.embedder(model, dimensions);
    const { fusionWeight } = embedder;
    const how = { signal, isAhead: true, isQuery: true, runInBackground };
    const { queryPrefix } = models.embeddingForm(model);
    const texts = queries.map((query) => queryPrefix + query);
    return { ...(await embedTexts(embedder, texts, how)), fusionWeight };
  });
  call.report.uses.push({
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
