import type { z } from "zod";

import { resolveReaders, readingInPanel } from "../../access/readers.ts";
import type { PanelCaller } from "../../access/sessions/find-panel-caller.ts";
import { sendRetrievalUsage } from "../../catalog/usage/send-usage.ts";
import { modelName, namedReader } from "../../core/input/input-fields.ts";
import type { RagRecord } from "../../db/records.ts";
import { degradedAnswer } from "../../http/answers.ts";
import type { Explanation } from "../../retrieval/explain.ts";
import { restrictionTo } from "../../retrieval/retrieval-request.ts";
import { retrieve, type RetrievalResult } from "../../retrieval/retrieve.ts";
import { applySearchMode } from "../../retrieval/search-mode.ts";
import { RagRetrieveRequest } from "../../retrieval/search-request.ts";
import type { Services } from "../../services.ts";

/** The fields of the public search, and a reranker to try without saving them. */
export const panelSearch = RagRetrieveRequest.safeExtend({
  reranker: modelName.nullable().optional(),
  reader: namedReader.reader.optional(),
  groups: namedReader.groups,
});

export type PanelSearch = z.output<typeof panelSearch>;

/** With each passage's place. Administrators also see times, and why each stands where it does. */
export async function searchRag(
  services: Services,
  { rag, caller, signal }: { rag: RagRecord; caller: PanelCaller; signal?: AbortSignal },
  input: PanelSearch,
) {
  const { useAllFiles, selectedFiles: files = [], selectedFolders: folders = [] } = input;
  const { providerFilter: metadata = [] } = input;
  const { reranker = rag.reranker, reader, groups } = input;
  const restriction = restrictionTo({ ...input, useAllFiles, files, folders, metadata });
  const isAdmin = caller.role === "admin";
  const reading = readingInPanel(caller, reader === undefined ? null : { user: reader, groups });
  const [permitted = rag] = await resolveReaders(services.db, reading, [rag]);
  const result = await retrieve(
    services,
    {
      ...input,
      targets: [{ rag: { ...applySearchMode(permitted, input), reranker }, restriction }],
      queries: input.semanticSearch,
    },
    { explain: true, signal },
  );
  sendRetrievalUsage(services, { ragIds: [rag.id], tokenId: null }, result);
  return { ...answerOf(result, isAdmin), ...degradedAnswer({ isAdmin }, result.degradations) };
}

function answerOf({ chunks, explanations, timings, legs }: RetrievalResult, isAdmin: boolean) {
  const totalMs = timings.contextMs + timings.rerankingMs;
  return {
    chunks: chunks.map(({ text, score, source }, at) => ({
      text,
      score,
      source,
      ...explanationOf(explanations?.[at], isAdmin),
    })),
    ...(isAdmin ? { timings: { ...timings, totalMs, legs } } : {}),
  };
}

type ExplainedPassage = { value?: number; explanation?: Explanation };

/** Everybody sees what the passages are ordered by. */
function explanationOf(explanation: Explanation | undefined, isAdmin: boolean): ExplainedPassage {
  if (explanation === undefined) return {};
  return { value: explanation.value, ...(isAdmin ? { explanation } : {}) };
}

export type SearchAnswer = Awaited<ReturnType<typeof searchRag>>;
