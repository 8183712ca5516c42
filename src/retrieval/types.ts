import type { RagRecord } from "../db/records.ts";
import type { ModelUse } from "../ports/job-queue.ts";
import type { Restriction } from "../ports/rag-index.ts";

/** One RAG to search and what of it this call may see. */
export type RetrievalTarget = { rag: RagRecord; restriction: Restriction };

export type RetrievalRequest = {
  targets: RetrievalTarget[];
  /** 1 to 10, none blank; searched one by one. */
  queries: string[];
  /** 1 to 100, over all targets together. */
  topK: number;
  useReranking: boolean;
  candidateMultiplier: number;
  similarityThreshold: number | null;
  includeDuplicates: boolean;
};

type ChunkSource = {
  ragIdentifier: string;
  filePath: string;
  name: string;
  externalId: string | null;
  url: string | null;
  position: number;
  page: number | null;
  headings: string[];
  /** Offsets in the file's extracted text, UTF-16 code units, end excluded. */
  start: number;
  end: number;
};

/** `score`: cosine similarity clamped to 0..1. */
export type RetrievedChunk = { text: string; score: number; source: ChunkSource };

export type RetrievalResult = {
  chunks: RetrievedChunk[];
  /** What was lost, one plain sentence each (`reranker: 503 after 812 ms`); empty: nothing. */
  degradations: string[];
  /** What embedding and reranking used, for the record. */
  uses: ModelUse[];
  timings: { contextMs: number; rerankingMs: number };
};
