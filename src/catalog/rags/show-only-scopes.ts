import type { RagId } from "../../core/ids.ts";
import { scopesOfIndexes } from "../../db/files/scope-work-store.ts";
import type { RagScopes } from "../../db/files/scope-work-store.ts";
import type { Services } from "../../services.ts";

/**
 * Scopes that change while they are applied are read again; each change also queues its own work.
 */
const MAX_READS = 5;

/**
 * Hides files outside the RAG's scopes and shows those inside, from this call on. False when
 * there is no such RAG.
 */
export async function showOnlyScopes(
  services: Pick<Services, "db" | "ragIndexes">,
  ragId: RagId,
): Promise<boolean> {
  let applied: string | null = null;
  for (let read = 0; read < MAX_READS; read++) {
    const current = await scopesOfIndexes(services.db, ragId);
    if (current === null) return false;
    const now = JSON.stringify(current);
    if (now === applied) return true;
    await tellIndexes(services, ragId, current);
    applied = now;
  }
  return true;
}

async function tellIndexes(
  { ragIndexes }: Pick<Services, "ragIndexes">,
  ragId: RagId,
  { generations, scopes }: RagScopes,
): Promise<void> {
  const addresses = generations.flatMap(([generation, shards]) =>
    Array.from({ length: shards }, (_, shard) => ({ ragId, generation, shard })),
  );
  await Promise.all(addresses.map((address) => ragIndexes(address).restrictToScopes(scopes)));
}
