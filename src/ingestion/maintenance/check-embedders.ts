import { embedTexts } from "../../catalog/models/embed-texts.ts";
import { dotProduct } from "../../core/bytes/half-float.ts";
import { attempt } from "../../core/log.ts";
import { DAY_MS, SECOND_MS } from "../../core/time.ts";
import { dueProbes, recordProbe, type DueProbe } from "../../db/generations/generation-store.ts";
import type { Services } from "../../services.ts";
import { GENERAL_QUESTIONS, measureUnrelated } from "./measure-unrelated.ts";

/** Two models give any text different vectors. */
const PROBE = "Which documents are kept here, and who may read them?";
/** The first numbers of its vector are enough to tell two models apart. */
const NUMBERS = 64;
/** Other weights of one model, such as quantised ones, give cosines above. */
const LEAST_COSINE = 0.9;
const TIMEOUT_MS = 20 * SECOND_MS;
const GENERATIONS_A_TURN = 100;

/** Checks daily, and after a start, that a model's name still means the model of an index. */
export async function checkEmbedders(services: Services): Promise<void> {
  const { db, log, now } = services;
  const due = await dueProbes(db, now() - DAY_MS, GENERATIONS_A_TURN);
  const ofModels = Map.groupBy(due, ({ embeddingModel, dimensions }) =>
    JSON.stringify([embeddingModel, dimensions]),
  );
  for (const indexes of ofModels.values()) {
    const model = indexes[0]?.embeddingModel ?? "";
    // Searches and indexing report a model that does not answer.
    await attempt(log, "embedding model not compared", { model }, () =>
      compareModel(services, indexes),
    );
  }
}

async function compareModel(services: Services, indexes: DueProbe[]) {
  const { db, runInBackground, log, models, now, ragIndexes } = services;
  const [first] = indexes;
  if (first === undefined) return;
  const embedder = models.embedder(first.embeddingModel, first.dimensions);
  const how = { signal: AbortSignal.timeout(TIMEOUT_MS), isQuery: true, runInBackground };
  const { queryPrefix } = models.embeddingForm(first.embeddingModel);
  const isMeasured = indexes.some((index) => index.leaveOutUnrelated && index.modelChangedAt === 0);
  const questionTexts = isMeasured
    ? GENERAL_QUESTIONS.map((question) => queryPrefix + question)
    : [];
  const { vectors } = await embedTexts(embedder, [PROBE, ...questionTexts], how);
  const probe = Array.from(vectors[0] ?? []).slice(0, NUMBERS);
  for (const { ragId, generation, embeddingModel: model, ...index } of indexes) {
    const before = index.probe ?? probe;
    const isSame = cosineOf(before, probe) >= LEAST_COSINE;
    if (!isSame && index.modelChangedAt === 0) {
      log.error("another model answers by the name of an index's embedding model", {
        ragId,
        model,
      });
    }
    const modelChangedAt = isSame ? 0 : index.modelChangedAt || now();
    const shard = ragIndexes({ ragId, generation, shard: 0 });
    const questions = index.leaveOutUnrelated && isSame ? vectors.slice(1) : [];
    const unrelatedSimilarity = await measureUnrelated(shard, questions);
    const comparison = { ragId, generation, probe: before, modelChangedAt, unrelatedSimilarity };
    // The next sweep may begin before all are measured.
    await recordProbe(db, comparison, now());
  }
}

function cosineOf(before: number[], after: number[]): number {
  const lengths = Math.sqrt(dotProduct(before, before) * dotProduct(after, after));
  return lengths === 0 ? 1 : dotProduct(before, after) / lengths;
}
