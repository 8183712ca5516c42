import type { z } from "zod";

import { requireValid } from "../../core/errors.ts";
import { newId, type RagId } from "../../core/ids.ts";
import { INDEX_FORMAT } from "../../core/index-format.ts";
import { insertRag } from "../../db/catalog/rag-writes.ts";
import { findSourceRow } from "../../db/catalog/source-store.ts";
import type { RagRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { chooseIdentifier, identifierTaken } from "../choose-identifier.ts";
import { checkEmbedder, checkReranker } from "../models/check-model.ts";
import { queueScopes } from "./enforce-scopes.ts";
import { findRag } from "./find-rag.ts";
import { checkChunking, checkScopes, defaultOverlap, newRag } from "./rag-settings.ts";
import type { NewRag } from "./rag-settings.ts";
import { firstVectorPlace } from "./vector-place.ts";

/**
 * Creates a RAG and queues the indexing of the source's known files. Scopes without a mode make
 * it scoped. `copyOf`: the RAG whose vectors are reused.
 * @throws QuarryError `invalid` (unknown source, scopes, chunking, models); `conflict`.
 */
export async function createRag(
  services: Services,
  fields: NewRag,
  { id = newId<RagId>(services.now()), copyOf = null }: { id?: RagId; copyOf?: RagId | null } = {},
): Promise<RagRecord> {
  const input = newRag.parse(fields);
  const { db, config } = services;
  const { fileSource, scopes = [], ...settings } = input;
  const identifier = chooseIdentifier(input.name, input.identifier);
  await checkEmbedder(services);
  const chunksAndModels = indexSettings(input);
  // A copy may have what its original has.
  if (copyOf === null && input.reranker !== null) await checkReranker(services, input.reranker);
  const row = await findSourceRow(db, fileSource);
  const { source } = requireValid(row, "fileSource", `: there is no ${fileSource}`);
  const scopeMode = input.scopeMode ?? (scopes.length > 0 ? "scoped" : "global");
  const inserted = await insertRag(db, {
    ...settings,
    id,
    identifier,
    copyOf,
    fileSourceId: source.id,
    scopeMode,
    scopes: checkScopes(source.provider, scopeMode, scopes),
    ...chunksAndModels,
    embeddingModel: config.EMBEDDING_MODEL,
    dimensions: config.EMBEDDING_DIMENSIONS,
    ...services.models.embeddingForm(config.EMBEDDING_MODEL),
    format: INDEX_FORMAT,
    vectorsIn: firstVectorPlace(services),
    createdAt: services.now(),
  });
  if (!inserted) throw identifierTaken();
  await queueScopes(services, id);
  await services.wakeClock();
  return await findRag(services, { key: id });
}

/** The chunking that it is made with. @throws QuarryError `invalid` */
function indexSettings({
  chunkSize,
  chunkOverlap = defaultOverlap(chunkSize),
}: z.output<typeof newRag>) {
  checkChunking(chunkSize, chunkOverlap);
  return { chunkOverlap };
}
