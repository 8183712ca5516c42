import { MINUTE_MS } from "../../core/clock.ts";
import { reasonOf } from "../../core/errors.ts";
import type { RagId } from "../../core/ids.ts";
import { takeDueFiles } from "../../db/generations/generation-file-store.ts";
import { giveUpRetired } from "../../db/generations/generation-return.ts";
import { FIRST, moveNextPage, movingGenerations } from "../../db/generations/generation-move.ts";
import type { Moving } from "../../db/generations/generation-move.ts";
import {
  buildingGenerations,
  dropGeneration,
  noteTaken,
} from "../../db/generations/generation-store.ts";
import type { Building, BuildingOn } from "../../db/generations/generation-store.ts";
import { switchGeneration } from "../../db/generations/generation-switch.ts";
import type { Services } from "../../services.ts";
import { showOnlyScopes } from "../../catalog/rags/show-only-scopes.ts";
import { emptyIndex } from "../removal/purge-removed-resources.ts";
import { QUEUED_HOLD_MS, SWEPT_HOLD_MS } from "../timeouts.ts";
import { MAX_TRIES } from "../retry-policy.ts";

const FILES_PER_STEP = 1_000;
/** One statement: tens of milliseconds. */
const MOVED_ROWS_PER_PAGE = 1_000;
const MOVED_PAGES_PER_STEP = 20;
const DROPS_PER_SWEEP = 3;
const ROWS_PER_DROP = 5_000;
/** Searches and workers that began before the switch have ended by then. */
const RETIRED_KEPT_MS = 5 * MINUTE_MS;
/** A removal that read of a generation before it was given up has reached it by then. */
const GIVEN_UP_KEPT_MS = MINUTE_MS / 2;

/** Queues what a building generation lacks; when it lacks nothing, it goes live. */
export async function continueBuild(services: Services, ragId: RagId): Promise<void> {
  const [moving] = await movingGenerations(services.db, ragId);
  if (moving !== undefined) await moveRows(services, moving);
  const [building] = await buildingGenerations(services.db, ragId);
  if (building !== undefined) await build(services, building);
}

/** The same for every RAG; what is retired for long is emptied. */
export async function continueBuilds(services: Services): Promise<void> {
  // Their messages may be under way: where both come, the second finds the page moved.
  for (const { ragId } of await movingGenerations(services.db)) {
    await services.queue.scan({ kind: "build", ragId });
  }
  for (const building of await buildingGenerations(services.db)) {
    try {
      await build(services, building);
    } catch (thrown) {
      const { ragId, generation } = building;
      services.log.error("build failed", { ragId, generation, reason: reasonOf(thrown) });
    }
  }
}

/**
 * A step goes on where the last one stopped, so that a build reads each file a few times however
 * many there are. From the end on each looks through all: for what changed or failed meanwhile.
 */
async function build(services: Services, building: BuildingOn): Promise<void> {
  const { takenAfter } = building;
  let step = await queueDueFiles(services, building, takenAfter);
  if (step.last === null && takenAfter !== FIRST) {
    step = await queueDueFiles(services, building, FIRST);
  }
  const next = step.last ?? FIRST;
  if (next !== takenAfter) await noteTaken(services.db, building, next);
  if (!step.underWay) await goLive(services, building);
}

/** `last`: the last file of those queued; null: there are no more after it. */
async function queueDueFiles(
  services: Services,
  building: Building,
  after: string,
): Promise<{ last: string | null; underWay: boolean }> {
  const now = services.now();
  const { messages, underWay } = await takeDueFiles(services.db, building, {
    after,
    now,
    heldUntil: now + SWEPT_HOLD_MS,
    limit: FILES_PER_STEP,
    maxTries: MAX_TRIES,
    reason: `indexing did not finish after ${MAX_TRIES} tries`,
  });
  await services.queue.index(messages);
  if (messages.length < FILES_PER_STEP) return { last: null, underWay };
  const last = messages.reduce((max, { fileId }) => (fileId > max ? fileId : max), after);
  return { last, underWay };
}

async function goLive(services: Services, building: Building): Promise<void> {
  const { ragId, generation } = building;
  // A crash may have kept the new object from hearing of the scopes.
  if (!(await showOnlyScopes(services, ragId))) return;
  const now = services.now();
  const times = { now, heldUntil: now + QUEUED_HOLD_MS };
  if (!(await switchGeneration(services.db, building, times))) return;
  services.log.info("index switched", { ragId, generation });
  await moveRows(services, { ...building, movedAfter: FIRST });
}

/** Rows of rag_files follow a switch, some pages at a time; the next follow by message. */
async function moveRows(services: Services, moving: Moving): Promise<void> {
  const { ragId } = moving;
  let { movedAfter }: { movedAfter: string | null } = moving;
  for (let page = 0; page < MOVED_PAGES_PER_STEP && movedAfter !== null; page++) {
    const now = services.now();
    const times = { now, heldUntil: now + QUEUED_HOLD_MS, limit: MOVED_ROWS_PER_PAGE };
    const moved = await moveNextPage(services.db, { ...moving, movedAfter }, times);
    await services.queue.index(moved.messages);
    ({ movedAfter } = moved);
  }
  if (movedAfter !== null) await services.queue.scan({ kind: "build", ragId });
}

/** Empties the objects of generations that were replaced; repeated until the last has gone. */
export async function dropRetired(services: Services): Promise<void> {
  const now = services.now();
  const times = {
    now,
    before: now - RETIRED_KEPT_MS,
    returnableBefore: now - services.config.REPLACED_INDEX_MINUTES * MINUTE_MS,
    settledBefore: now - GIVEN_UP_KEPT_MS,
  };
  for (const dropping of await giveUpRetired(services.db, times, DROPS_PER_SWEEP)) {
    const { ragId, generation, shards } = dropping;
    let isEmpty = true;
    for (let shard = 0; shard < shards && isEmpty; shard++) {
      isEmpty = await emptyIndex(services, { ragId, generation, shard });
    }
    if (isEmpty) await dropGeneration(services.db, dropping, ROWS_PER_DROP);
  }
}
