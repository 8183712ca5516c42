import type { InferenceRecord, RagRecord } from "../db/records.ts";
import type { Restriction } from "../ports/rag-index.ts";
import { restrictionTo } from "../retrieval/retrieval-request.ts";
import { retrieve, type RetrievalResult } from "../retrieval/retrieve.ts";
import { applySearchMode } from "../retrieval/search-mode.ts";
import { checkInferenceInput } from "./check-input.ts";
import type { ContextInput, InferenceServices } from "./types.ts";

const NOTHING: RetrievalResult = {
  chunks: [],
  degradations: [],
  uses: [],
  timings: { contextMs: 0, rerankingMs: 0 },
  legs: {},
};

type ContextRequest = {
  inference: Pick<InferenceRecord, "nativeRag" | "rags" | "systemPrompt">;
  input: ContextInput;
  signal?: AbortSignal | undefined;
};

/** The context of a run, without a model call. @throws QuarryError `invalid` */
export async function retrieveContext(
  services: InferenceServices,
  request: ContextRequest,
): Promise<RetrievalResult & { systemPrompt: string }> {
  checkInferenceInput(request.inference, request.input);
  const result = await searchLinkedRags(services, request);
  return { ...result, systemPrompt: request.inference.systemPrompt };
}

/** The passages that a checked input asks for; none without a native RAG or a linked one. */
export async function searchLinkedRags(
  services: InferenceServices,
  { inference, input, signal }: ContextRequest,
): Promise<RetrievalResult> {
  const { nativeRag, rags } = inference;
  if (!nativeRag || rags.length === 0) return NOTHING;
  return await retrieve(
    services,
    {
      ...input,
      targets: rags.map((rag) => ({
        rag: applySearchMode(rag, input),
        restriction: restrictionOf(rag, input),
      })),
      queries: input.semanticSearch ?? [],
    },
    { signal },
  );
}

/** The restriction of one RAG; with `useAllFiles: false` only the files named for it. */
export function restrictionOf(rag: RagRecord, input: ContextInput): Restriction {
  const { selectedFiles = [], selectedFolders = [], providerFilter = [] } = input;
  const isOfRag = ({ ragIdentifier }: { ragIdentifier?: string | undefined }) =>
    ragIdentifier === undefined || ragIdentifier === rag.identifier;
  return restrictionTo({
    ...input,
    files: selectedFiles.filter(isOfRag).flatMap(({ files }) => files),
    folders: selectedFolders.filter(isOfRag).flatMap(({ folders }) => folders),
    metadata: providerFilter.filter(isOfRag).map(({ field, values }) => ({ field, values })),
  });
}
