import { conflict } from "../../core/errors.ts";
import type { RagId } from "../../core/ids.ts";
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
