import { z } from "@hono/zod-openapi";

import { Chunk, Degradation } from "../../http/schemas/retrieval.ts";
import { panelSearch, searchRag } from "../search/search-rag.ts";
import { ragOf } from "./rags.ts";
import { Endpoints } from "./request/endpoint.ts";

const legRank = z.object({ rank: z.int(), score: z.number() }).nullable();
const explanation = z
  .object({
    queries: z.array(z.object({ lexical: legRank, vector: legRank })),
    fused: z.number(),
    fusedRank: z.int(),
    wordsRank: z.int().nullable(),
    relevance: z.number().nullable(),
    recency: z.number().nullable(),
  })
  .optional()
  .openapi({ description: "Why the passage has this rank. Administrators only." });
const value = z
  .number()
  .optional()
  .openapi({ description: "What the passages are ordered by; `score` is the similarity." });
const Answer = z
  .object({
    chunks: z.array(z.object({ ...Chunk.shape, value, explanation })),
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
  new Endpoints("rags", ragOf).json(
    "post /rags/{id}/search",
    "Try a search. Searches as programs do. `reranker` tries another reranker. Members may call it.",
    { body: panelSearch, answer: Answer },
    async ({ context, services, caller, found: rag, body }) => {
      return await searchRag(services, { rag, caller, signal: context.req.raw.signal }, body);
    },
  ).app;
