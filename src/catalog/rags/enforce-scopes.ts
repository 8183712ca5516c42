import type { RagId } from "../../core/ids.ts";
import type { Services } from "../../services.ts";
import { showOnlyScopes } from "./show-only-scopes.ts";

/**
 * Makes changed scopes hold: the index shows nothing else from here on, and the files that come
 * and go are worked off by the queue.
 */
export async function enforceScopes(
  services: Pick<Services, "db" | "queue" | "ragIndexes">,
  ragId: RagId,
): Promise<void> {
  await services.queue.scan({ kind: "apply-scopes", ragId, after: null });
  await showOnlyScopes(services, ragId);
}
