import type { FileId, FileSourceId, RagId, ScanRunId } from "../core/ids.ts";

/** Work on a source or on all files of a RAG. */
export type ScanMessage =
  | { kind: "scan"; fileSourceId: FileSourceId; confirmRemovals: boolean; urls: string[] | null }
  /** The next page of a listing under way. */
  | { kind: "continue-scan"; fileSourceId: FileSourceId; runId: ScanRunId }
  /** Give a RAG the files that its scopes hold and take what they do not, page by page. */
  | { kind: "apply-scopes"; ragId: RagId; after: string | null }
  /** Build the RAG's index anew where its settings ask for it; `since` (ms): also without that. */
  | { kind: "reindex"; ragId: RagId; after: string | null; since?: number | undefined }
  /** Go on with the generation that is being built beside the live one. */
  | { kind: "build"; ragId: RagId }
  /** Remove everything behind a removed RAG or file source, page by page. */
  | { kind: "purge-rag"; ragId: RagId }
  | { kind: "purge-source"; fileSourceId: FileSourceId };

/** Index one file in one generation of a RAG's index, if `revision` is still the newest. */
export type IndexMessage = {
  ragId: RagId;
  generation: number;
  fileId: FileId;
  revision: number;
};

/** What a call, or indexing, used of an embedding model or a reranker; priced by the consumer. */
export type ModelUse = {
  kind: "embedding" | "reranker";
  model: string;
  /** The RAGs that it was used for. */
  ragIds: string[];
  /** Requests of ours, and their mean time. */
  calls: number;
  latencyMs: number;
  /** As the provider counts them; estimated where it does not tell. */
  inputTokens: number;
  failed: boolean;
};

/** One call's usage, or that of a batch of indexing; `id` makes a second delivery count once. */
export type UsageMessage = {
  id: string;
  at: number;
  /** `index` is no call: it counts for its models and its tokens alone. */
  kind: "inference" | "agent" | "retrieve" | "index";
  inferenceId: string | null;
  agentId: string | null;
  ragIds: string[];
  tokenId: string | null;
  model: string | null;
  inputTokens: number;
  outputTokens: number;
  /** In `currency`; null when the model has no price. */
  cost: number | null;
  currency: string | null;
  latencyMs: number;
  outcome: "ok" | "degraded" | "error";
  /** Beside the chat model; messages of earlier deployments have none. */
  uses?: ModelUse[] | undefined;
};

/** What waits in a queue; null where nobody knows. */
export type QueueBacklog = {
  queue: string;
  waiting: number | null;
  /** When the oldest message was sent, ms. */
  oldestAt: number | null;
};

/** Queues. At-least-once and without order: every receiver looks at the truth in D1 first. */
export interface JobQueue {
  scan(message: ScanMessage, delaySeconds?: number): Promise<void>;
  /** Any number; sent in batches within the platform's limits. */
  index(messages: IndexMessage[], delaySeconds?: number): Promise<void>;
  usage(message: UsageMessage): Promise<void>;
}
