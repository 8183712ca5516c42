import { newRag } from "../../src/catalog/rags/rag-settings.ts";
import type { FileSourceId, RagId } from "../../src/core/ids.ts";
import type { RagRecord } from "../../src/db/records.ts";

/** The settings of a new RAG by their declaration: a further one needs no mention in a test. */
export function usualSettings(name: string) {
  const { fileSource: _of, scopes: _none, ...settings } = newRag.parse({ name, fileSource: "a" });
  return { ...settings, scopeMode: "global" as const, chunkOverlap: 60 };
}

/** A RAG of one file, as a search gets it. */
export const ragRecord = (identifier: string, more: Partial<RagRecord>): RagRecord => ({
  ...usualSettings(`The ${identifier}`),
  id: identifier as RagId,
  identifier,
  readersSince: null,
  fileSource: {
    id: "source" as FileSourceId,
    name: "Drive",
    identifier: "drive",
    provider: "file_system",
  },
  generation: 1,
  shards: 1,
  vectorsIn: "vectorize",
  embeddingModel: "embedded/hash",
  dimensions: 64,
  modelChangedAt: 0,
  unrelatedSimilarity: null,
  totalFiles: 1,
  processedFiles: 1,
  failedFiles: 0,
  numberVectors: 1,
  updatedAt: 0,
  ...more,
});
