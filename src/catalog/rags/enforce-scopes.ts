import type { RagId } from "../../core/ids.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { countScopeChange, scopesOfIndexes } from "../../db/files/scope-work-store.ts";
import type { ScopeChange, RagScopes } from "../../db/files/scope-work-store.ts";
import type { Services } from "../../services.ts";

/**
 * Applies changed scopes: the index hides other files from now on, the queue processes the added
 * and removed files, and the RAG's totals and list are those of the new scopes. The counting comes last: it
 * postpones the sweep, which repeats what fails before.
 */
export async function enforceScopes(
  services: Pick<Services, "db" | "now" | "queue" | "ragIndexes">,
  ragId: RagId,
  change: ScopeChange,
): Promise<void> {
  try {
    await showOnlyScopes(services, ragId);
  } finally {
    await queueWalk(services, ragId);
  }
  await countChange(services, ragId, change);
}

/** Queues the scopes of a RAG that has no index yet. */
export async function queueScopes(
  services: Pick<Services, "db" | "now" | "queue">,
  ragId: RagId,
): Promise<void> {
  await queueWalk(services, ragId);
  await countChange(services, ragId, { kind: "replaced" });
}

const queueWalk = ({ queue }: Pick<Services, "queue">, ragId: RagId) =>
  queue.scan({ kind: "apply-scopes", ragId, after: null });

async function countChange(
  services: Pick<Services, "db" | "now" | "queue">,
  ragId: RagId,
  change: ScopeChange,
): Promise<void> {
  const now = services.now();
  const times = { now, heldUntil: now + MINUTE_MS };
  const messages = await countScopeChange(services.db, ragId, change, times);
  await services.queue.index(messages);
}

/** Scopes that change meanwhile are read again; each change also queues its own work. */
const MAX_READS = 5;

/** Hides what is outside the scopes or left out, from this call on. False: no such RAG. */
export async function showOnlyScopes(
  services: Pick<Services, "db" | "ragIndexes">,
  ragId: RagId,
): Promise<boolean> {
  let applied: string | null = null;
  for (let reads = 0; reads < MAX_READS; reads++) {
    const current = await scopesOfIndexes(services.db, ragId);
    if (current === null) return false;
    const now = JSON.stringify(current);
    if (now === applied) return true;
    await restrictIndexes(services, ragId, current);
    applied = now;
  }
  return true;
}

async function restrictIndexes(
  { ragIndexes }: Pick<Services, "ragIndexes">,
  ragId: RagId,
  { generations, scopes, excluded }: RagScopes,
): Promise<void> {
  const addresses = generations.flatMap(([generation, shards]) =>
    Array.from({ length: shards }, (_, shard) => ({ ragId, generation, shard })),
  );
  await Promise.all(
    addresses.map((address) => ragIndexes(address).restrictToScopes(scopes, excluded)),
  );
}
