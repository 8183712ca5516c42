import { z } from "@hono/zod-openapi";

import { findRag } from "../../catalog/rags/find-rag.ts";
import type { PanelCaller } from "../../access/sessions/find-panel-caller.ts";
import type { RagRecord } from "../../db/records.ts";
import { degradedFor } from "../../http/answers.ts";
import { Chunk, Degradation, RagRetrieveRequest } from "../../http/schemas/retrieval.ts";
import { sendRetrievalUsage } from "../../catalog/usage/send-usage.ts";
import { restrictionTo } from "../../retrieval/retrieval-request.ts";
import { retrieve } from "../../retrieval/retrieve.ts";
import type { Explanation } from "../../retrieval/explain.ts";
import type { RetrievalResult } from "../../retrieval/retrieve.ts";
import type { Services } from "../../services.ts";
import { Endpoints } from "./request/endpoint.ts";
import { modelName } from "./request/fields.ts";

/** The fields of the public search, and a reranker to try without saving them. */
export const panelSearch = RagRetrieveRequest.safeExtend({
  reranker: modelName.nullable().optional(),
});

export type PanelSearch = z.output<typeof panelSearch>;

/**
 * What a search of one RAG finds, with every passage's place. Administrators also see the time
 * of each leg and why each passage stands where it does.
 */
export async function searchRag(
  services: Services,
  { rag, caller, signal }: { rag: RagRecord; caller: PanelCaller; signal?: AbortSignal },
  input: PanelSearch,
) {
  const { useAllFiles, selectedFiles: files = [], selectedFolders: folders = [] } = input;
  const { providerFilter: metadata = [] } = input;
  const { searchMode = rag.searchMode, reranker = rag.reranker } = input;
  const isAdmin = caller.role === "admin";
  const result = await retrieve(
    services,
    {
      targets: [
        {
          rag: { ...rag, searchMode, reranker },
          restriction: restrictionTo({ useAllFiles, files, folders, metadata }),
        },
      ],
      queries: input.semanticSearch,
      topK: input.topK,
      useReranking: input.useReranking,
      candidateMultiplier: input.candidateMultiplier,
      similarityThreshold: input.similarityThreshold ?? null,
      includeDuplicates: input.includeDuplicates,
    },
    { explain: isAdmin, ...(signal === undefined ? {} : { signal }) },
  );
  sendRetrievalUsage(services, { ragIds: [rag.id], tokenId: null }, result);
  return { ...answerOf(result, isAdmin), ...degradedFor({ isAdmin }, result.degradations) };
}

function answerOf({ chunks, explanations, timings, legs }: RetrievalResult, isAdmin: boolean) {
  const totalMs = timings.contextMs + timings.rerankingMs;
  return {
    chunks: chunks.map(({ text, score, source }, at) => ({
      text,
      score,
      source,
      ...explained(explanations?.[at]),
    })),
    ...(isAdmin ? { timings: { ...timings, totalMs, legs } } : {}),
  };
}

const explained = (explanation: Explanation | undefined) =>
  explanation === undefined ? {} : { explanation };

export type SearchAnswer = Awaited<ReturnType<typeof searchRag>>;

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
const Answer = z
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

/** Searches that a panel can try out; they change nothing, so members may make them too. */
export const ragSearchRoutes = () =>
  new Endpoints("rags").json(
    "post /rags/{id}/search",
    {
      summary: "Try a search",
      description: "As programs search, with a reranker to try. Members may search too.",
      body: panelSearch,
      answer: Answer,
    },
    async ({ context, services, caller, key, body }) => {
      const rag = await findRag(services, { key });
      return await searchRag(services, { rag, caller, signal: context.req.raw.signal }, body);
    },
  ).app;
