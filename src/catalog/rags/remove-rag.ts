import { conflict, notFound } from "../../core/errors.ts";
import { linksOfRag, markRagRemoved } from "../../db/catalog/rag-writes.ts";
import type { RagRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";

/**
 * Hides a RAG at once; its index and its files' rows are deleted in the background.
 * @throws QuarryError `conflict` while inferences or agents link it; `not-found` when a
 * concurrent request has just removed it.
 */
export async function removeRag(services: Services, { rag }: { rag: RagRecord }): Promise<void> {
  if (!(await markRagRemoved(services.db, rag.id, services.now()))) {
    const links = await linksOfRag(services.db, rag.id);
    const users = Object.entries(links).filter(([, identifiers]) => identifiers.length > 0);
    if (users.length === 0) throw notFound();
    const uses = users.map(([kind, identifiers]) => `${kind} ${identifiers.join(", ")}`);
    throw conflict(`RAG is linked by ${uses.join(" and ")}`);
  }
  await services.queue.scan({ kind: "purge-rag", ragId: rag.id });
}
