import { showOnlyScopes } from "../../catalog/rags/enforce-scopes.ts";
import { chunksInObject } from "../../catalog/rags/vector-place.ts";
import { conflict } from "../../core/errors.ts";
import type { RagId } from "../../core/ids.ts";
import { INDEX_FORMAT } from "../../core/index-format.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { reopenGeneration, returnableGeneration } from "../../db/generations/generation-return.ts";
import { beginGeneration, ragsToRebuild } from "../../db/generations/generation-store.ts";
import type { WantedIndex } from "../../db/generations/generation-store.ts";
import { listGenerations, type ListedGeneration } from "../../db/generations/generation-store.ts";
import type { Services } from "../../services.ts";

/** Requests indexing of all files of a RAG from scratch, while the live index still answers. */
export async function reindexRag(
  services: Pick<Services, "now" | "queue">,
  { ragId }: { ragId: RagId },
): Promise<void> {
  await services.queue.scan({ kind: "reindex", ragId, since: services.now() });
}

/**
 * If the settings require one; with `since` (ms), also if none was begun since then. `copy`: a RAG to
 * take over; false when it cannot be.
 */
export async function startRebuild(
  services: Services,
  { ragId, since, copy = null }: { ragId: RagId; since?: number | undefined; copy?: RagId | null },
): Promise<boolean> {
  const how = { since: since ?? null, now: services.now(), copy };
  if (!(await beginGeneration(services.db, ragId, targetIndexOf(services), how))) return false;
  // The new object must receive the scopes before any file.
  await showOnlyScopes(services, ragId);
  await services.queue.scan({ kind: "build", ragId });
  return true;
}

/** Begins a generation for each RAG whose index was built with outdated settings. */
export async function startWantedRebuilds(services: Services): Promise<void> {
  const target = targetIndexOf(services);
  const { ragIds, impossible } = await ragsToRebuild(services.db, target);
  if (impossible.length > 0) {
    services.log.error("indexes keep their old settings", {
      rags: impossible.length,
      reason: `the vector index holds one size of vectors, and EMBEDDING_DIMENSIONS is now ${target.dimensions}: set it back, or bind a new vector index and create the RAGs again`,
    });
  }
  for (const ragId of ragIds) await startRebuild(services, { ragId });
}

function targetIndexOf(services: Pick<Services, "config" | "models" | "vectorIndex">) {
  const { config, models, vectorIndex } = services;
  const target: WantedIndex = {
    ...models.embeddingForm(config.EMBEDDING_MODEL),
    embeddingModel: config.EMBEDDING_MODEL,
    dimensions: config.EMBEDDING_DIMENSIONS,
    format: INDEX_FORMAT,
    fixedDimensions: vectorIndex !== null,
    shardChunks: config.INDEX_SHARD_CHUNKS,
    objectChunks: chunksInObject({ config, vectorIndex }),
  };
  return target;
}

/**
 * Returns to the index that answered before the last change of settings, while it is kept. The
 * live index answers until the old one is up to date.
 * @throws QuarryError `conflict` when there is none any more.
 */
export async function returnToIndex(services: Services, { ragId }: { ragId: RagId }) {
  const target = targetIndexOf(services);
  const returnable = await returnableGeneration(services.db, ragId, target);
  const reopening = { wanted: target, now: services.now() };
  const isOpen =
    returnable !== null && (await reopenGeneration(services.db, ragId, returnable, reopening));
  if (!isOpen) throw conflict("There is no earlier index to go back to");
  await showOnlyScopes(services, ragId);
  await services.queue.scan({ kind: "build", ragId });
}

/** The active index, the one being built, and the previous one that can be restored. */
export async function indexState(services: Services, ragId: RagId) {
  const generations = await listGenerations(services.db, ragId);
  const returnable = await returnableGeneration(services.db, ragId, targetIndexOf(services));
  const findInState = (state: ListedGeneration["state"]) =>
    generations.find((generation) => generation.state === state) ?? null;
  const previous = generations.find(({ generation }) => generation === returnable?.generation);
  const keptMs = services.config.REPLACED_INDEX_MINUTES * MINUTE_MS;
  return {
    live: findInState("live"),
    building: findInState("building"),
    previous:
      previous === undefined ? null : { ...previous, keptUntil: previous.changedAt + keptMs },
  };
}
