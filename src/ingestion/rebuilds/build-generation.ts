import { showOnlyScopes } from "../../catalog/rags/enforce-scopes.ts";
import type { RagId } from "../../core/ids.ts";
import { attempt } from "../../core/log.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { fillNextPage, retryOutsideFailures } from "../../db/generations/generation-build.ts";
import { switchGeneration } from "../../db/generations/generation-build.ts";
import { giveUpRetired, postponeDrop } from "../../db/generations/generation-return.ts";
import type { RetiredGeneration } from "../../db/generations/generation-return.ts";
import { buildingGenerations, dropGeneration } from "../../db/generations/generation-store.ts";
import type { GenerationBuild } from "../../db/generations/generation-store.ts";
import type { Services } from "../../services.ts";
import { queueBySize } from "../indexing/queue-by-size.ts";
import { emptyIndex } from "../removal/purge-removed-resources.ts";
import { SWEPT_CLAIM_MS } from "../timeouts.ts";

const FILES_PER_STEP = 1_000;
/** In a generation that was brought back, most rows are up to date already. */
const PAGES_PER_STEP = 20;
const DROPS_PER_SWEEP = 3;
const ROWS_PER_DROP = 5_000;
/** Searches and workers that began before the switch have ended by then. */
const RETIRED_KEPT_MS = 5 * MINUTE_MS;
/** A removal that read the generation before it was given up has reached its objects by then. */
const GIVEN_UP_KEPT_MS = MINUTE_MS / 2;

/** Continues the generation that is being built for a RAG; when complete, it becomes live. */
export async function continueBuild(services: Services, ragId: RagId): Promise<void> {
  const [building] = await buildingGenerations(services.db, ragId);
  if (building !== undefined) await build(services, building);
}

/** Does the same for every RAG. */
export async function continueBuilds(services: Services): Promise<void> {
  for (const building of await buildingGenerations(services.db)) {
    const { ragId, generation } = building;
    await attempt(services.log, "build failed", { ragId, generation }, () =>
      build(services, building),
    );
  }
}

/** Each step queues the next files; after the last, it only checks whether all are done. */
async function build(services: Services, building: GenerationBuild): Promise<void> {
  const { ragId, filledUpTo } = building;
  if (filledUpTo === null) return await retryOrSwitch(services, building);
  const { queued, isFilled } = await fillGeneration(services, building, filledUpTo);
  // Otherwise the next step follows when these files are done.
  if (queued > 0) return;
  if (isFilled) return await retryOrSwitch(services, building);
  await services.queue.scan({ kind: "build", ragId });
}

async function fillGeneration(services: Services, building: GenerationBuild, filledUpTo: string) {
  let after: string | null = filledUpTo;
  let queued = 0;
  for (let page = 0; page < PAGES_PER_STEP && after !== null && queued < FILES_PER_STEP; page++) {
    const claimedUntil = services.now() + SWEPT_CLAIM_MS;
    const step = { after, claimedUntil, limit: FILES_PER_STEP };
    const filled = await fillNextPage(services.db, building, step);
    await queueBySize(services, filled.messages);
    queued += filled.messages.length;
    after = filled.filledUpTo;
  }
  return { queued, isFilled: after === null };
}

async function retryOrSwitch(services: Services, building: GenerationBuild): Promise<void> {
  const { ragId, generation } = building;
  const now = services.now();
  const step = { now, claimedUntil: now + SWEPT_CLAIM_MS, limit: FILES_PER_STEP };
  const retried = await retryOutsideFailures(services.db, building, step);
  if (retried.length > 0) return await services.queue.index(retried);
  // A crash may have prevented the new object from receiving the scopes.
  if (!(await showOnlyScopes(services, ragId))) return;
  if (!(await switchGeneration(services.db, building, now))) return;
  services.log.info("index switched", { ragId, generation });
}

/** Empties the objects of replaced generations; repeated until all are empty. */
export async function dropRetiredIndexes(services: Services): Promise<void> {
  const now = services.now();
  const times = {
    now,
    before: now - RETIRED_KEPT_MS,
    returnableBefore: now - services.config.REPLACED_INDEX_MINUTES * MINUTE_MS,
    settledBefore: now - GIVEN_UP_KEPT_MS,
  };
  for (const dropping of await giveUpRetired(services.db, times, DROPS_PER_SWEEP)) {
    const { ragId, generation } = dropping;
    const isDone = await attempt(
      services.log,
      "retired index not deleted",
      { ragId, generation },
      () => drop(services, dropping),
    );
    if (!isDone) await postponeDrop(services.db, dropping, now);
  }
}

async function drop(services: Services, dropping: RetiredGeneration): Promise<void> {
  const { ragId, generation, shards, vectorsIn } = dropping;
  for (let shard = 0; shard < shards; shard++) {
    if (!(await emptyIndex(services, { ragId, generation, shard, vectorsIn }))) return;
  }
  await dropGeneration(services.db, dropping, ROWS_PER_DROP);
}
