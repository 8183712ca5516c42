import { conflict, requireValid } from "../../core/errors.ts";
import { scopesOfAll } from "../../db/catalog/rag-scope-store.ts";
import { findRagRecord } from "../../db/catalog/rag-writes.ts";
import type { RagRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { indexState, startRebuild } from "./reindex-rag.ts";

/**
 * Gives a RAG the settings and the index of its copy and removes the copy: a new index is built from
 * the copy's vectors while the present one answers.
 * @throws QuarryError `conflict` while the copy is being built, where it covers other files, or is
 * linked; `invalid` where there is none
 */
export async function takeOverRag(
  services: Services,
  { rag, from }: { rag: RagRecord; from: string },
): Promise<void> {
  const { db, queue, now } = services;
  const copy = requireValid(await findRagRecord(db, from), "from", `: there is no ${from}`);
  const scopes = await scopesOfAll(db, [rag.id, copy.id]);
  const filesOf = ({ id, fileSource, scopeMode }: RagRecord) =>
    JSON.stringify([fileSource.id, scopeMode, scopes.get(id)]);
  if (copy.id === rag.id || filesOf(copy) !== filesOf(rag)) {
    throw conflict("It is not a copy: its source or its scopes are others");
  }
  const { live, building } = await indexState(services, copy.id);
  if (building !== null || (live?.filesDone ?? 0) < copy.totalFiles) {
    throw conflict("The copy is still being built");
  }
  const isTaken = await startRebuild(services, { ragId: rag.id, since: now(), copy: copy.id });
  if (!isTaken) throw conflict("The copy is linked by an inference or agent: remove the link");
  await queue.scan({ kind: "purge-rag", ragId: copy.id });
}
