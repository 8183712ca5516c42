import { MINUTE_MS } from "../../core/time.ts";
import type { RagId } from "../../core/ids.ts";
import { countComing } from "../../db/files/scope-work-store.ts";
import type { Services } from "../../services.ts";
import { showOnlyScopes } from "./show-only-scopes.ts";

/**
 * Makes changed scopes hold: the index shows nothing else from here on, the files that are coming
 * count, and the queue works off those that come and go.
 */
export async function enforceScopes(
  services: Pick<Services, "db" | "now" | "queue" | "ragIndexes">,
  ragId: RagId,
): Promise<void> {
  await queueScopes(services, ragId);
  await showOnlyScopes(services, ragId);
}

/** The same of a RAG that has no index yet. */
export async function queueScopes(
  { db, now, queue }: Pick<Services, "db" | "now" | "queue">,
  ragId: RagId,
): Promise<void> {
  await countComing(db, ragId, now() + MINUTE_MS);
  await queue.scan({ kind: "apply-scopes", ragId, after: null });
}
