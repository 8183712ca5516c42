import { showOnlyScopes } from "../../catalog/rags/enforce-scopes.ts";
import type { RagId } from "../../core/ids.ts";
import { releasePending } from "../../db/files/pending-files.ts";
import { applyScopesToPage, endOfPage, scopesRevision } from "../../db/files/scope-work-store.ts";
import type { Services } from "../../services.ts";
import { removeFromIndexes } from "../removal/remove-from-indexes.ts";
import { QUEUED_CLAIM_MS, timesFrom } from "../timeouts.ts";

const FILES_PER_PAGE = 1_000;

/**
 * Applies a RAG's scopes to one page of files: adds those inside and removes those outside. A
 * message starts the next page. `after` null: from the start.
 */
export async function applyScopesToFiles(
  services: Services,
  walk: { ragId: RagId; after: string | null; revision?: number | undefined },
): Promise<void> {
  const { ragId, after } = walk;
  let revision = walk.revision ?? null;
  if (after === null) {
    // Read first: a change that follows has its own walk, and this one must not end its work.
    revision = await scopesRevision(services.db, ragId);
    if (revision === null) return;
    await showOnlyScopes(services, ragId);
    await releasePending(services.db, ragId, services.now() + QUEUED_CLAIM_MS);
  }
  const from = after ?? "";
  const upTo = await endOfPage(services.db, ragId, from, FILES_PER_PAGE);
  const page = { after: from, upTo, revision };
  const times = timesFrom(services.now());
  const { messages, removals } = await applyScopesToPage(services.db, ragId, page, times);
  await services.queue.index(messages);
  await removeFromIndexes(services, removals);
  if (upTo !== null) {
    const next = { ragId, after: upTo, revision: revision ?? undefined };
    await services.queue.scan({ kind: "apply-scopes", ...next });
  }
}
