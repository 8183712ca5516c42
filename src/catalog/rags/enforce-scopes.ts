import { MINUTE_MS } from "../../core/time.ts";
import type { RagId } from "../../core/ids.ts";
import { countScopeChange } from "../../db/files/scope-work-store.ts";
import type { ScopeChange } from "../../db/files/scope-work-store.ts";
import type { Services } from "../../services.ts";
import { showOnlyScopes } from "./show-only-scopes.ts";

/**
 * Applies changed scopes: the index hides other files from now on, the queue processes the added
 * and removed files, and the RAG's totals are those of the new scopes. The counting comes last: it
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
  await countScopeChange(services.db, ragId, change, timesOf(services));
}

/** The same for a RAG that has no index yet. */
export async function queueScopes(
  services: Pick<Services, "db" | "now" | "queue">,
  ragId: RagId,
): Promise<void> {
  await queueWalk(services, ragId);
  await countScopeChange(services.db, ragId, { kind: "replaced" }, timesOf(services));
}

const queueWalk = ({ queue }: Pick<Services, "queue">, ragId: RagId) =>
  queue.scan({ kind: "apply-scopes", ragId, after: null });

function timesOf(services: Pick<Services, "now">) {
  const now = services.now();
  return { now, heldUntil: now + MINUTE_MS };
}
