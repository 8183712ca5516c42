import type { RagId } from "../core/ids.ts";
import {
  applyScopesToPage,
  endOfPage,
  releasePending,
  scopesOfIndexes,
} from "../db/rag-work-store.ts";
import type { RagScopes } from "../db/rag-work-store.ts";
import type { Services } from "../services.ts";
import { QUEUED_HOLD_MS, REMOVAL_HOLD_MS } from "./hold-times.ts";
import { settleRemovals } from "./settle-removals.ts";

const FILES_PER_PAGE = 1_000;
/** Scopes that change while they are applied are read again; each change queues its own work. */
const MAX_READS = 5;

/**
 * Hides what is outside the RAG's scopes, and shows what is inside, from this call on. False when
 * there is no such RAG.
 */
export async function showOnlyScopes(
  services: Pick<Services, "db" | "ragIndexes">,
  ragId: RagId,
): Promise<boolean> {
  let applied: string | null = null;
  for (let read = 0; read < MAX_READS; read++) {
    const current = await scopesOfIndexes(services.db, ragId);
    if (current === null) return false;
    const now = JSON.stringify(current);
    if (now === applied) return true;
    await tellIndexes(services, ragId, current);
    applied = now;
  }
  return true;
}

async function tellIndexes(
  { ragIndexes }: Pick<Services, "ragIndexes">,
  ragId: RagId,
  { generations, scopes }: RagScopes,
): Promise<void> {
  const addresses = generations.flatMap(([generation, shards]) =>
    Array.from({ length: shards }, (_, shard) => ({ ragId, generation, shard })),
  );
  await Promise.all(addresses.map((address) => ragIndexes(address).keepOnly(scopes)));
}

/**
 * One page of giving a RAG the files that its scopes hold and taking what they do not; the next
 * page follows by message. `after` null: from the start.
 */
export async function applyScopes(
  services: Services,
  { ragId, after }: { ragId: RagId; after: string | null },
): Promise<void> {
  if (after === null) {
    if (!(await showOnlyScopes(services, ragId))) return;
    await releasePending(services.db, ragId, services.now() + QUEUED_HOLD_MS);
  }
  const from = after ?? "";
  const upTo = await endOfPage(services.db, ragId, from, FILES_PER_PAGE);
  const now = services.now();
  const { messages, removals } = await applyScopesToPage(
    services.db,
    ragId,
    { after: from, upTo },
    { now, queuedUntil: now + QUEUED_HOLD_MS, removedUntil: now + REMOVAL_HOLD_MS },
  );
  await services.queue.index(messages);
  await settleRemovals(services, removals);
  if (upTo !== null) await services.queue.scan({ kind: "apply-scopes", ragId, after: upTo });
}
