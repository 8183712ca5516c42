import type { AgentId, FileSourceId, InferenceId, RagId } from "../core/ids.ts";
import type { VectorPlace } from "./schema/rags.ts";

/** A RAG with everything a retrieval needs, including its live generation's settings. */
export type RagRecord = {
  id: RagId;
  name: string;
  identifier: string;
  /** The status that the API shows: `error` when the file source is in error. */
  status: "active" | "paused" | "error";
  fileSource: { id: FileSourceId; name: string; identifier: string; provider: string };
  scopeMode: "global" | "scoped";
  chunkSize: number;
  chunkOverlap: number;
  reranker: string | null;
  searchMode: "hybrid" | "semantic";
  generation: number;
  shards: number;
  vectorsIn: VectorPlace;
  embeddingModel: string;
  dimensions: number;
  totalFiles: number;
  processedFiles: number;
  numberVectors: number;
};

type ModelSettings = {
  name: string;
  identifier: string;
  systemPrompt: string;
  model: string;
  temperature: number | null;
  maxOutputTokens: number | null;
  createdAt: number;
  /** Linked RAGs in order of identifier, regardless of the flags. */
  rags: RagRecord[];
};

export type InferenceRecord = ModelSettings & { id: InferenceId; nativeRag: boolean };

export type AgentRecord = ModelSettings & { id: AgentId; description: string; maxSteps: number };
