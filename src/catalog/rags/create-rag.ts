import { invalidField } from "../../core/errors.ts";
import { newId, type RagId } from "../../core/ids.ts";
import { INDEX_FORMAT } from "../../core/index-format.ts";
import { insertRag } from "../../db/catalog/rag-writes.ts";
import { findSourceRow } from "../../db/catalog/source-store.ts";
import type { RagRecord } from "../../db/records.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { checkEmbedder, checkReranker } from "../models/check-model.ts";
import { chooseIdentifier, identifierTaken } from "../choose-identifier.ts";
import { queueScopes } from "./enforce-scopes.ts";
import { findRag } from "./find-rag.ts";
import {
  checkChunking,
  checkedScopes,
  DEFAULT_CHUNK_SIZE,
  defaultOverlap,
  type ScopeMode,
} from "./rag-settings.ts";
import { firstVectorPlace } from "./vector-place.ts";

export type NewRagInput = {
  name: string;
  identifier?: string | undefined;
  /** Id or identifier. */
  fileSource: string;
  scopeMode?: ScopeMode | undefined;
  scopes?: IndexScope[] | undefined;
  chunkSize?: number | undefined;
  chunkOverlap?: number | undefined;
  reranker?: string | null | undefined;
  searchMode?: "hybrid" | "semantic" | undefined;
  status?: "active" | "paused" | undefined;
};

/**
 * Creates a RAG and queues the indexing of the source's known files. Scopes without a mode make
 * it scoped.
 * @throws QuarryError `invalid` (unknown source, scopes, chunking, models); `conflict`.
 */
export async function createRag(services: Services, input: NewRagInput): Promise<RagRecord> {
  const { db, config } = services;
  const identifier = chooseIdentifier(input.name, input.identifier);
  checkEmbedder(services);
  const found = await findSourceRow(db, input.fileSource);
  if (found === null) throw invalidField("fileSource", `: there is no ${input.fileSource}`);
  const { source } = found;
  const given = input.scopes ?? [];
  const scopeMode = input.scopeMode ?? (given.length > 0 ? "scoped" : "global");
  const createdAt = services.now();
  const id = newId<RagId>(createdAt);
  const inserted = await insertRag(db, {
    id,
    name: input.name,
    identifier,
    fileSourceId: source.id,
    status: input.status ?? "active",
    scopeMode,
    scopes: checkedScopes(source.provider, scopeMode, given),
    ...indexSettings(services, input),
    embeddingModel: config.EMBEDDING_MODEL,
    dimensions: config.EMBEDDING_DIMENSIONS,
    format: INDEX_FORMAT,
    vectorsIn: firstVectorPlace(services),
    createdAt,
  });
  if (!inserted) throw identifierTaken();
  await queueScopes(services, id);
  await services.wakeClock();
  return await findRag(services, { key: id });
}

function indexSettings(services: Services, input: NewRagInput) {
  const chunkSize = input.chunkSize ?? DEFAULT_CHUNK_SIZE;
  const chunkOverlap = input.chunkOverlap ?? defaultOverlap(chunkSize);
  checkChunking(chunkSize, chunkOverlap);
  const reranker = input.reranker ?? null;
  if (reranker !== null) checkReranker(services, reranker);
  return { chunkSize, chunkOverlap, reranker, searchMode: input.searchMode ?? "hybrid" };
}
