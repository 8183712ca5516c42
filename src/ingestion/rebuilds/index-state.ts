import { conflict } from "../../core/errors.ts";
import type { RagId } from "../../core/ids.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { listGenerations } from "../../db/generations/generation-list.ts";
import type { ListedGeneration } from "../../db/generations/generation-list.ts";
import { reopenGeneration, returnableGeneration } from "../../db/generations/generation-return.ts";
import type { Services } from "../../services.ts";
import { showOnlyScopes } from "../../catalog/rags/show-only-scopes.ts";
import { wantedIndex } from "./reindex-rag.ts";

/**
 * Returns to the index that answered before the last change of settings, while it is kept. The
 * live index answers until the old one is up to date.
 * @throws QuarryError `conflict` when there is none any more.
 */
export async function returnToIndex(
  services: Services,
  { ragId }: { ragId: RagId },
): Promise<void> {
  const wanted = wantedIndex(services);
  const returnable = await returnableGeneration(services.db, ragId, wanted);
  const of = { wanted, now: services.now() };
  const isOpen =
    returnable !== null && (await reopenGeneration(services.db, ragId, returnable, of));
  if (!isOpen) throw conflict("There is no earlier index to go back to");
  await showOnlyScopes(services, ragId);
  await services.queue.scan({ kind: "build", ragId });
}

/** The active index, the one being built, and the previous one that can be restored. */
export async function indexState(services: Services, ragId: RagId) {
  const generations = await listGenerations(services.db, ragId);
  const kept = await returnableGeneration(services.db, ragId, wantedIndex(services));
  const of = (state: ListedGeneration["state"]) =>
    generations.find((generation) => generation.state === state);
  const [live, building] = [of("live"), of("building")];
  const previous = generations.find(({ generation }) => generation === kept?.generation);
  const keptMs = services.config.REPLACED_INDEX_MINUTES * MINUTE_MS;
  return {
    live: live === undefined ? null : live,
    building: building === undefined ? null : { ...building },
    previous:
      previous === undefined ? null : { ...previous, keptUntil: previous.changedAt + keptMs },
  };
}
