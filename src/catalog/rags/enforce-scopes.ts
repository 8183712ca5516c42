import { MINUTE_MS } from "../../core/time.ts";
import type { RagId } from "../../core/ids.ts";
import { countComing } from "../../db/files/scope-work-store.ts";
import type { Services } from "../../services.ts";
import { showOnlyScopes } from "./show-only-scopes.ts";

/**
 * Applies changed scopes: the index hides other files from now on, newly included files are
 * counted, and the queue processes the added and removed files.
 */
export async function enforceScopes(
  services: Pick<Services, "db" | "now" | "queue" | "ragIndexes">,
  ragId: RagId,
): Promise<void> {
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
