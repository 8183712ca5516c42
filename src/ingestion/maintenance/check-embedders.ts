import { embedTexts } from "../../catalog/models/embed-texts.ts";
import { attempt } from "../../core/log.ts";
import { DAY_MS, SECOND_MS } from "../../core/time.ts";
import { dueProbes, recordProbes, type Probed } from "../../db/generations/probe-store.ts";
import type { Services } from "../../services.ts";

/** Two models give any text different vectors. */
const PROBE = "Which documents are kept here, and who may read them?";
/** Numbers of its vector that are kept: enough to tell two models apart. */
const NUMBERS = 64;
/** Other weights of one model, such as quantised ones, give cosines above. */
const LEAST_COSINE = 0.9;
const TIMEOUT_MS = 20 * SECOND_MS;
const GENERATIONS_A_TURN = 100;

/** Once a day and after a start: whether a model's name still stands for the model of an index. */
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

async function compareModel(services: Services, indexes: Probed[]) {
  const { db, inBackground, log, models, now } = services;
  const [first] = indexes;
  if (first === undefined) return;
  const embedder = models.embedder(first.embeddingModel, first.dimensions);
  const how = { signal: AbortSignal.timeout(TIMEOUT_MS), inBackground };
  const { vectors } = await embedTexts(embedder, [PROBE], how);
  const probe = Array.from(vectors[0] ?? []).slice(0, NUMBERS);
  const compared = indexes.map((index) => {
    const { ragId, generation, embeddingModel: model } = index;
    const before = index.probe ?? probe;
    if (cosineOf(before, probe) >= LEAST_COSINE) {
      return { ragId, generation, probe: before, modelChangedAt: 0 };
    }
    log.error("another model answers by the name of an index's embedding model", { ragId, model });
    return { ragId, generation, probe: before, modelChangedAt: index.modelChangedAt || now() };
  });
  await recordProbes(db, compared, now());
}

function cosineOf(one: number[], other: number[]): number {
  const product = (a: number[], b: number[]) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  const lengths = Math.sqrt(product(one, one) * product(other, other));
  return lengths === 0 ? 1 : product(one, other) / lengths;
}
