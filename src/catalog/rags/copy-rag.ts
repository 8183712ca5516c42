import type { RagId } from "../../core/ids.ts";
import { omitUndefined } from "../../core/input/omit-undefined.ts";
import { scopesOf } from "../../db/catalog/rag-scope-store.ts";
import type { RagRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { checkReranker } from "../models/check-model.ts";
import { createRag } from "./create-rag.ts";
import { overlapFor, storedRag, type RagCopy } from "./rag-settings.ts";

/**
 * Creates a RAG with the settings of another one, except those given. It reuses the vectors of
 * equal passages.
 * @throws QuarryError as `createRag` does
 */
export async function copyRag(
  services: Services,
  { rag, copy, id }: { rag: RagRecord; copy: RagCopy & { fileSource?: string }; id?: RagId },
): Promise<RagRecord> {
  const { chunkSize = rag.chunkSize, scopeMode = rag.scopeMode } = copy;
  if (copy.reranker != null) await checkReranker(services, copy.reranker);
  const settings = storedRag.parse({
    ...rag,
    status: rag.status === "error" ? "active" : rag.status,
    fileSource: rag.fileSource.id,
    chunkOverlap: overlapFor(rag, chunkSize),
    scopes: scopeMode === "global" ? [] : await scopesOf(services.db, rag.id),
    ...omitUndefined(copy),
  });
  const { identifier } = copy;
  const origin = { ...(id === undefined ? {} : { id }), copyOf: rag.id };
  return await createRag(services, { ...settings, identifier }, origin);
}
