import type { RagId } from "../../core/ids.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { listGenerations } from "../../db/generations/generation-list.ts";
import type { ListedGeneration } from "../../db/generations/generation-list.ts";
import { returnableGeneration } from "../../db/generations/generation-return.ts";
import type { Services } from "../../services.ts";
import { wantedIndex } from "./reindex-rag.ts";

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
