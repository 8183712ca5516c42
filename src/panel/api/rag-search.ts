import { Hono } from "hono";
import type { z } from "zod";

import { findRag } from "../../catalog/rags/find-rag.ts";
import type { PanelCaller } from "../../access/sessions/find-panel-caller.ts";
import type { RagRecord } from "../../db/records.ts";
import { degradedFor } from "../../http/answers.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { RagRetrieveRequest } from "../../http/schemas/retrieval.ts";
import { sendRetrievalUsage } from "../../catalog/usage/send-usage.ts";
import { restrictionTo } from "../../retrieval/retrieval-request.ts";
import { retrieve } from "../../retrieval/retrieve.ts";
import type { Explanation } from "../../retrieval/explain.ts";
import type { RetrievalResult } from "../../retrieval/retrieve.ts";
import type { Services } from "../../services.ts";
import { modelName } from "./request/fields.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { bodyOf } from "./request/read-request.ts";

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

/** Searches that a panel can try out; they change nothing, so members may make them too. */
export function ragSearchRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();
  app.post("/:id/search", jsonBody(), async (context) => {
    const { services, caller } = context.var;
    const rag = await findRag(services, { key: context.req.param("id") });
    const input = await bodyOf(context.req, panelSearch);
    const { signal } = context.req.raw;
    return context.json(await searchRag(services, { rag, caller, signal }, input));
  });
  return app;
}
