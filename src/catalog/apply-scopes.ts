import type { RagId } from "../core/ids.ts";
import { openGenerations } from "../db/rag-writes.ts";
import type { IndexScope } from "../ports/rag-index.ts";
import type { Services } from "../services.ts";

/**
 * Makes changed scopes hold: the index shows nothing else from here on, and the files that come
 * and go are worked off by the queue. `scopes` null: the whole source.
 */
export async function applyScopes(
  services: Pick<Services, "db" | "queue" | "ragIndexes">,
  ragId: RagId,
  scopes: IndexScope[] | null,
): Promise<void> {
  await services.queue.scan({ kind: "apply-scopes", ragId, after: null });
  const generations = await openGenerations(services.db, ragId);
  const addresses = generations.flatMap(({ generation, shards }) =>
    Array.from({ length: shards }, (_none, shard) => ({ ragId, generation, shard })),
  );
  await Promise.all(addresses.map((address) => services.ragIndexes(address).keepOnly(scopes)));
}
