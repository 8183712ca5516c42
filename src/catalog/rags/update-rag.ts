import { invalidField } from "../../core/errors.ts";
import { omitUndefined } from "../../core/input/omit-undefined.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { updateRagRow, type RagChange } from "../../db/catalog/rag-writes.ts";
import { takeUnstartedFiles } from "../../db/files/pending-files.ts";
import type { RagRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { checkReranker } from "../models/check-model.ts";
import { enforceScopes } from "./enforce-scopes.ts";
import { findRag } from "./find-rag.ts";
import { checkChunking, checkScopes, needsNewIndex, overlapFor } from "./rag-settings.ts";
import type { RagPatch } from "./rag-settings.ts";

const RESUMED_AT_ONCE = 1_000;

/**
 * Updates the given fields. A narrower scope hides files from search before this returns; other
 * chunking settings build a new index beside the old one and switch when it is complete.
 * @throws QuarryError `invalid`.
 */
export async function updateRag(
  services: Services,
  { rag, patch }: { rag: RagRecord; patch: RagPatch },
): Promise<RagRecord> {
  checkSameSource(rag, patch.fileSource);
  const { change, scopes } = await changeOf(services, rag, patch);
  const now = services.now();
  const replacement = scopes === null ? null : { replaceBy: scopes, now };
  await updateRagRow(services.db, rag.id, change, replacement);
  const scopeMode = change.scopeMode ?? rag.scopeMode;
  if (scopes !== null || scopeMode !== rag.scopeMode) {
    await enforceScopes(services, rag.id, { kind: "replaced" });
  } else if (change.status === "active") {
    // Beyond the first thousand, the sweep handles files that changed while the RAG was paused.
    await services.queue.scan({ kind: "apply-scopes", ragId: rag.id, after: null });
  }
  if (change.status === "active") {
    const claim = { claimedUntil: now + MINUTE_MS, limit: RESUMED_AT_ONCE };
    await services.queue.index(await takeUnstartedFiles(services.db, rag.id, claim));
  }
  if (needsNewIndex(rag, change)) {
    await services.queue.scan({ kind: "reindex", ragId: rag.id });
  }
  return await findRag(services, { key: rag.id });
}

async function changeOf(services: Services, rag: RagRecord, patch: RagPatch) {
  const { fileSource: _, identifier: _id, scopes: newScopes, ...settings } = omitUndefined(patch);
  const { reranker } = settings;
  if (reranker && reranker !== rag.reranker) await checkReranker(services, reranker);
  const change: RagChange = { ...settings, ...chunkingOf(rag, patch) };
  const scopeMode = patch.scopeMode ?? rag.scopeMode;
  if (scopeMode === rag.scopeMode) delete change.scopeMode;
  const checked = newScopes && checkScopes(rag.fileSource.provider, scopeMode, newScopes);
  // A global RAG has no list of scopes.
  const scopes = scopeMode === "global" && change.scopeMode !== undefined ? [] : checked;
  return { change, scopes: scopes ?? null };
}

function chunkingOf(rag: RagRecord, { chunkSize, chunkOverlap }: RagPatch): RagChange {
  if (chunkSize === undefined && chunkOverlap === undefined) return {};
  const size = chunkSize ?? rag.chunkSize;
  const overlap = chunkOverlap ?? overlapFor(rag, size);
  checkChunking(size, overlap);
  return { chunkSize: size, chunkOverlap: overlap };
}

function checkSameSource({ fileSource }: RagRecord, sourceKey: string | undefined): void {
  if (sourceKey === undefined || sourceKey === fileSource.id || sourceKey === fileSource.identifier)
    return;
  throw invalidField("fileSource", "cannot be changed: a RAG keeps its file source");
}
