import type { RagId } from "../core/ids.ts";
import { noteChunking, pendPage } from "../db/rag-work-store.ts";
import type { Services } from "../services.ts";
import { QUEUED_HOLD_MS } from "./hold-times.ts";

const FILES_PER_PAGE = 500;

/** Queues the indexing of every file of a RAG from its start. */
export async function reindexRag(
  services: Pick<Services, "queue">,
  { ragId }: { ragId: RagId },
): Promise<void> {
  await services.queue.scan({ kind: "reindex", ragId, after: null });
}

/** One page of it; the next follows by message. What is indexed answers meanwhile. */
export async function reindexPage(
  services: Services,
  { ragId, after }: { ragId: RagId; after: string | null },
): Promise<void> {
  const now = services.now();
  const rows = await pendPage(services.db, ragId, after ?? "", {
    now,
    heldUntil: now + QUEUED_HOLD_MS,
    limit: FILES_PER_PAGE,
  });
  await services.queue.index(
    rows.map(({ ragId, fileId, revision }) => ({ ragId, fileId, revision })),
  );
  if (rows.length < FILES_PER_PAGE) return await noteChunking(services.db, ragId);
  const last = rows.reduce((path, row) => (row.path > path ? row.path : path), "");
  await services.queue.scan({ kind: "reindex", ragId, after: last });
}
