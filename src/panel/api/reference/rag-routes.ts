import { z } from "@hono/zod-openapi";

import { Chunk, Degradation } from "../../../http/schemas/retrieval.ts";
import { modelName } from "../request/fields.ts";
import { ofFile, previewWish, wish } from "../rag-index.ts";
import { newRag, ragPatch, ragQuery, retryQuery } from "../rags.ts";
import { panelSearch } from "../rag-search.ts";
import { described, listOf, paging, queued, time } from "./described.ts";

const scopeMode = z.enum(["global", "scoped"]);
const scopes = z.array(z.object({ type: z.enum(["path", "externalId"]), value: z.string() }));
const ragFields = {
  id: z.string(),
  name: z.string(),
  identifier: z.string(),
  status: z.enum(["active", "paused"]),
  totalFiles: z.int(),
  processedFiles: z.int(),
  numberVectors: z.int(),
  fileSource: z.object({
    id: z.string(),
    name: z.string(),
    identifier: z.string(),
    provider: z.string(),
  }),
  fileSourceScopeMode: scopeMode,
  fileSourceScopes: scopes,
  scopeMode,
  scopes,
  chunkSize: z.int(),
  chunkOverlap: z.int(),
  reranker: modelName.nullable(),
  searchMode: z.enum(["hybrid", "semantic"]),
};
const Rag = z.object(ragFields).openapi("PanelRag");
const unknownExternalIds = z
  .array(z.string())
  .openapi({ description: "Ids of its scopes that no file or folder of the source has." });
const CheckedRag = z.object({ ...ragFields, unknownExternalIds }).openapi("CheckedRag");
const ReadRag = z
  .object({ ...ragFields, unknownExternalIds: unknownExternalIds.optional() })
  .openapi("ReadRag");
const generation = {
  generation: z.int(),
  embeddingModel: z.string(),
  dimensions: z.int(),
  chunkSize: z.int(),
  chunkOverlap: z.int(),
  shards: z.int(),
  vectorsIn: z.string(),
  createdAt: time,
};
const Index = z
  .object({
    live: z.object(generation).nullable(),
    building: z.object({ ...generation, filesDone: z.int(), filesFailed: z.int() }).nullable(),
    previous: z.object({ ...generation, keptUntil: time }).nullable(),
  })
  .openapi("RagIndex");
const Estimate = z
  .object({
    needed: z.boolean(),
    files: z.int(),
    chunks: z.int(),
    reusedVectors: z.int(),
    embeddingCalls: z.int(),
    inputTokens: z.int(),
    cost: z.object({ amount: z.number(), currency: z.string() }).nullable(),
  })
  .openapi("RebuildEstimate");
const place = {
  position: z.int(),
  headings: z.array(z.string()),
  page: z.int().nullable(),
  start: z.int(),
  end: z.int(),
  text: z.string(),
};
const Passage = z.object({ ...place, isDuplicate: z.boolean() }).openapi("Passage");
const Preview = z
  .object({
    chunkSize: z.int(),
    chunkOverlap: z.int(),
    characters: z.int(),
    charactersCut: z.int(),
    total: z.int(),
    chunks: z.array(z.object({ ...place, tokens: z.int() })),
  })
  .openapi("ChunkPreview");
const legRank = z.object({ rank: z.int(), score: z.number() }).nullable();
const explanation = z
  .object({
    queries: z.array(z.object({ lexical: legRank, vector: legRank })),
    fused: z.number(),
    fusedRank: z.int(),
    wordsRank: z.int().nullable(),
    relevance: z.number().nullable(),
  })
  .optional()
  .openapi({ description: "Why it stands there; for administrators." });
const SearchAnswer = z
  .object({
    chunks: z.array(z.object({ ...Chunk.shape, explanation })),
    timings: z
      .object({
        contextMs: z.number(),
        rerankingMs: z.number(),
        totalMs: z.number(),
        legs: z.record(z.string(), z.number()),
      })
      .optional(),
    degraded: Degradation.optional(),
  })
  .openapi("PanelSearchAnswer");

const RAG = "/rags/{id}";

export const ragReference = [
  described("rags", "get", "/rags", {
    summary: "RAGs",
    description: "With their counters.",
    query: paging,
    answers: { 200: listOf(Rag) },
  }),
  described("rags", "post", "/rags", {
    summary: "Add a RAG",
    description: "Its files are indexed in the background.",
    body: newRag,
    answers: { 201: { schema: CheckedRag } },
    errors: [404, 409, 422],
  }),
  described("rags", "get", RAG, {
    summary: "A RAG",
    description:
      "`check=scopes` adds the external ids of its scopes that the source does not know.",
    query: ragQuery,
    answers: { 200: { schema: ReadRag } },
  }),
  described("rags", "patch", RAG, {
    summary: "Change a RAG",
    description:
      "What changes how files are cut builds a new index; the old one answers meanwhile.",
    body: ragPatch,
    answers: { 200: { schema: CheckedRag } },
    errors: [409, 422],
  }),
  described("rags", "delete", RAG, {
    summary: "Remove a RAG",
    description: "Refused while an inference or agent is linked to it.",
    answers: { 204: null },
    errors: [409],
  }),
  described("rags", "post", `${RAG}/reindex`, {
    summary: "Make every vector again",
    description: "A new index is built while the present one answers.",
    answers: { 202: queued },
    errors: [409],
  }),
  described("rags", "post", `${RAG}/retry`, {
    summary: "Try failed files again",
    description: "All files in `error`, or the one at `path`.",
    query: retryQuery,
    answers: { 202: queued },
  }),
  described("rags", "get", `${RAG}/index`, {
    summary: "The active index, the one that is built, the previous one",
    description: "With the settings of each.",
    answers: { 200: { schema: Index } },
  }),
  described("rags", "post", `${RAG}/estimate`, {
    summary: "What other settings would cost",
    description: "Files, passages, tokens and the price of building anew; nothing is changed.",
    body: wish,
    answers: { 200: { schema: Estimate } },
    errors: [422],
  }),
  described("rags", "post", `${RAG}/return`, {
    summary: "Return to the previous index",
    description: "For as long as it is kept after a change.",
    answers: { 202: queued },
    errors: [409, 422],
  }),
  described("rags", "get", `${RAG}/passages`, {
    summary: "Passages of a file",
    description: "In order of position, with their places in the text.",
    query: paging.extend(ofFile.shape),
    answers: { 200: listOf(Passage) },
  }),
  described("rags", "post", `${RAG}/preview`, {
    summary: "How a file would be cut",
    description: "With other sizes than the present; nothing is changed.",
    body: previewWish,
    answers: { 200: { schema: Preview } },
    errors: [422],
  }),
  described("rags", "post", `${RAG}/search`, {
    summary: "Try a search",
    description: "As programs search, with a reranker to try. Members may search too.",
    body: panelSearch,
    answers: { 200: { schema: SearchAnswer } },
  }),
];
