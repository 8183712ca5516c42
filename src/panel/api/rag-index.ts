import { z } from "@hono/zod-openapi";

import { findRag } from "../../catalog/rags/find-rag.ts";
import { relativePath } from "../../core/input/input-fields.ts";
import { Chunk, Degradation } from "../../http/schemas/retrieval.ts";
import { listPassages, previewChunks } from "../../ingestion/indexing/preview-chunks.ts";
import { previewWish } from "../../ingestion/indexing/preview-chunks.ts";
import { estimateRebuild, rebuildWish } from "../../ingestion/rebuilds/estimate-rebuild.ts";
import { indexState, returnToIndex } from "../../ingestion/rebuilds/reindex-rag.ts";
import { storedPath } from "../../sources/file-names.ts";
import { action } from "../action.ts";
import { panelSearch, searchRag } from "../search/search-rag.ts";
import { fieldsOfKind, Endpoints, pageOf, queued, time, schema } from "./request/endpoint.ts";

const ofFile = z.object({ path: relativePath.min(1).transform(storedPath) });

const generation = {
  generation: z.int(),
  embeddingModel: z.string(),
  ...fieldsOfKind(z.int(), "dimensions", "chunkSize", "chunkOverlap", "shards"),
  vectorsIn: z.string(),
  createdAt: time,
};
const Index = schema("RagIndex", {
  live: z.object(generation).nullable(),
  building: z.object({ ...generation, filesDone: z.int(), filesFailed: z.int() }).nullable(),
  previous: z.object({ ...generation, keptUntil: time }).nullable(),
});
const Estimate = schema("RebuildEstimate", {
  needed: z.boolean(),
  ...fieldsOfKind(z.int(), "files", "chunks", "reusedVectors", "embeddingCalls", "inputTokens"),
  cost: z.object({ amount: z.number(), currency: z.string() }).nullable(),
});
const place = {
  position: z.int(),
  headings: z.array(z.string()),
  page: z.int().nullable(),
  ...fieldsOfKind(z.int(), "start", "end"),
  text: z.string(),
};
const Preview = schema("ChunkPreview", {
  ...fieldsOfKind(z.int(), "chunkSize", "chunkOverlap", "characters", "charactersCut", "total"),
  chunks: z.array(z.object({ ...place, tokens: z.int() })),
});

const marks = { textHash: z.string(), isDuplicate: z.boolean(), isExcluded: z.boolean() };
const Passage = schema("Passage", { ...place, ...marks });

const RAG = "/rags/{id}";

export const indexReturn = action({
  name: "rags.return",
  about: "Return to the previous index. Possible while it is kept.",
  find: findRag,
  errors: [409, 422],
  work: ({ services, subject: { id: ragId } }) => returnToIndex(services, { ragId }),
  ...queued,
  notice: "The previous index catches up with recent changes, then takes over.",
});

export const ragIndexRoutes = new Endpoints("rags", findRag)
  .json(
    `get ${RAG}/index`,
    "Indexes of a RAG. The live one, the one in progress and the previous one, with their settings.",
    { answer: Index },
    async ({ services, subject: rag }) => await indexState(services, rag.id),
  )
  .json(
    `post ${RAG}/estimate`,
    "Estimate a rebuild. Files, passages, model tokens and the price of a rebuild; nothing is changed.",
    { body: rebuildWish, answer: Estimate, errors: [422] },
    async ({ services, subject: rag, body }) =>
      await estimateRebuild(services, { rag, wish: body }),
  )
  .action(indexReturn)
  .list(
    `get ${RAG}/passages`,
    "Passages of a file. In order of position, with their places in the text.",
    { query: ofFile, item: Passage },
    async ({ services, subject: rag, query: { path }, paging }) =>
      pageOf(await listPassages(services, { rag, path, ...paging }), (passage) => {
        return { ...passage, textHash: passage.duplicateKey };
      }),
  )
  .json(
    `post ${RAG}/preview`,
    "Preview chunking. Cuts a file with other sizes and changes nothing.",
    { body: previewWish, answer: Preview, errors: [422] },
    async ({ services, subject: rag, body }) => await previewChunks(services, { rag, ...body }),
  ).app;

const legRank = z.object({ rank: z.int(), score: z.number() }).nullable();
const explanation = z
  .object({
    queries: z.array(z.object({ lexical: legRank, vector: legRank })),
    fused: z.number(),
    fusedRank: z.int(),
    wordsRank: z.int().nullable(),
    ...fieldsOfKind(z.number().nullable(), "relevance", "recency"),
  })
  .optional()
  .describe("Why the passage has this rank. Administrators only.");
const value = z
  .number()
  .optional()
  .describe("What the passages are ordered by; `score` is the similarity.");
const Answer = schema("PanelSearchAnswer", {
  chunks: z.array(z.object({ ...Chunk.shape, value, explanation })),
  timings: z
    .object({
      ...fieldsOfKind(z.number(), "contextMs", "rerankingMs", "totalMs"),
      legs: z.record(z.string(), z.number()),
    })
    .optional(),
  degraded: Degradation.optional(),
});

/** Searches that a panel can try out; they change nothing, so members may make them too. */
export const ragSearchRoutes = new Endpoints("rags", findRag).json(
  "post /rags/{id}/search",
  "Try a search. Searches as programs do. `reranker` tries another reranker. Members may call it.",
  { by: "members", body: panelSearch, answer: Answer },
  async ({ context, services, caller, subject: rag, body }) =>
    await searchRag(services, { rag, caller, signal: context.req.raw.signal }, body),
).app;
