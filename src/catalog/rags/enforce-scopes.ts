import { MINUTE_MS } from "../../core/time.ts";
import type { RagId } from "../../core/ids.ts";
import { countChangedScopes, countComing } from "../../db/files/scope-work-store.ts";
import type { Services } from "../../services.ts";
import { showOnlyScopes } from "./show-only-scopes.ts";

/** Counted out in the request that removed their scope; more wait for the queue. */
const LEAVING_AT_ONCE = 2_000;

type Needed = Pick<Services, "db" | "now" | "queue" | "ragIndexes">;

/**
 * Applies changed scopes: the index hides other files from now on, the RAG's totals are those of
 * the new scopes, and the queue processes the added and removed files.
 */
export async function enforceScopes(services: Needed, ragId: RagId): Promise<void> {
  const now = services.now();
  const counted = { now, heldUntil: now + MINUTE_MS, limit: LEAVING_AT_ONCE };
  await countChangedScopes(services.db, ragId, counted);
  await services.queue.scan({ kind: "apply-scopes", ragId, after: null });
  await showOnlyScopes(services, ragId);
}

/** The same where files are only added. */
export async function enforceAddedScopes(services: Needed, ragId: RagId): Promise<void> {
  await queueScopes(services, ragId);
  await showOnlyScopes(services, ragId);
}

/** The same for a RAG that has no index yet. */
export async function queueScopes(
  { db, now, queue }: Pick<Services, "db" | "now" | "queue">,
  ragId: RagId,
): Promise<void> {
  await countComing(db, ragId, now() + MINUTE_MS);
  await queue.scan({ kind: "apply-scopes", ragId, after: null });
}
