import type { InferenceRecord, RagRecord } from "../db/records.ts";
import type { Restriction } from "../ports/rag-index.ts";
import { retrieve } from "../retrieval/retrieve.ts";
import type { RetrievalResult } from "../retrieval/types.ts";
import { checkInferenceInput } from "./check-input.ts";
import type { ContextInput, InferenceServices } from "./types.ts";

const NOTHING: RetrievalResult = {
  chunks: [],
  degradations: [],
  uses: [],
  timings: { contextMs: 0, rerankingMs: 0 },
};

/**
 * The passages of a run, without a model call: none where the inference has no native RAG or no
 * linked RAG. @throws QuarryError `invalid`
 */
export async function retrieveContext(
  services: InferenceServices,
  request: { inference: InferenceRecord; input: ContextInput; signal?: AbortSignal | undefined },
): Promise<RetrievalResult & { systemPrompt: string }> {
  const { inference, input, signal } = request;
  checkInferenceInput(inference, input);
  const { systemPrompt, rags } = inference;
  if (!inference.nativeRag || rags.length === 0) return { ...NOTHING, systemPrompt };
  const found = await retrieve(
    services,
    {
      targets: rags.map((rag) => ({ rag, restriction: restrictionOf(rag, input) })),
      queries: input.semanticSearch ?? [],
      topK: input.topK,
      useReranking: input.useReranking,
      candidateMultiplier: input.candidateMultiplier,
      similarityThreshold: input.similarityThreshold ?? null,
      includeDuplicates: input.includeDuplicates,
    },
    signal === undefined ? {} : { signal },
  );
  return { ...found, systemPrompt };
}

/** What one RAG may show: with `useAllFiles: false` just what is named of it. */
export function restrictionOf(rag: RagRecord, input: ContextInput): Restriction {
  const { selectedFiles = [], selectedFolders = [], providerFilter = [] } = input;
  const mine = ({ ragIdentifier }: { ragIdentifier?: string | undefined }) =>
    ragIdentifier === undefined || ragIdentifier === rag.identifier;
  const named = {
    files: selectedFiles.filter(mine).flatMap(({ files }) => files),
    folders: selectedFolders.filter(mine).flatMap(({ folders }) => folders),
  };
  const metadata = providerFilter.filter(mine).map(({ field, values }) => ({ field, values }));
  return { named: input.useAllFiles ? null : named, metadata };
}
