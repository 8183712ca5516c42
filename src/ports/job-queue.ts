import type { EvaluationRunId, FileId, FileSourceId, RagId, ScanRunId } from "../core/ids.ts";

/** Work on a source, on all files of a RAG, or on an evaluation. */
export type ScanMessage =
  | { kind: "scan"; fileSourceId: FileSourceId; confirmRemovals: boolean; urls: string[] | null }
  /** The next page of a listing in progress. */
  | { kind: "continue-scan"; fileSourceId: FileSourceId; runId: ScanRunId }
  /**
   * Applies a RAG's scopes to the source's files, page by page; pages behind the first have the
   * scopes' `revision` when the walk began.
   */
  | {
      kind: "apply-scopes";
      ragId: RagId;
      after: string | null;
      revision?: number | undefined;
    }
  /** Builds the RAG's index again if its settings require it; with `since` (ms), in any case. */
  | { kind: "reindex"; ragId: RagId; after: string | null; since?: number | undefined }
  /** Continues the generation that is being built while the live one answers. */
  | { kind: "build"; ragId: RagId }
  /** Deletes all data of a removed RAG or file source, page by page. */
  | { kind: "purge-rag"; ragId: RagId }
  | { kind: "purge-source"; fileSourceId: FileSourceId }
  /** Asks the next questions of an evaluation run. */
  | { kind: "evaluate"; runId: EvaluationRunId };

/** Indexes one file in one generation of a RAG's index, if `revision` is still the newest. */
export type IndexMessage = {
  ragId: RagId;
  generation: number;
  fileId: FileId;
  revision: number;
};

/** A message and the size (bytes) of its file; null: unknown, until it was read. */
export type SizedMessage = IndexMessage & { size: number | null };

/** The text of a version of a pushed file: its bytes are this text in UTF-8, and nothing else. */
export type PushedText = { version: string; text: string };

/** Texts by version, which is unique for each write of a file. */
export type PushedTexts = ReadonlyMap<string, string>;

/** Several files in one message of the index queue, and texts of theirs by version. */
export type IndexMessages = { files: IndexMessage[]; texts?: Record<string, string> | undefined };

/** What a call, or indexing, used of an embedding model or reranker; the consumer adds prices. */
export type ModelUse = {
  kind: "embedding" | "reranker";
  model: string;
  /** The RAGs that it was used for. */
  ragIds: string[];
  /** Number of requests to the model, and their mean time. */
  calls: number;
  latencyMs: number;
  /** As the provider counts them; estimated where it does not report them. */
  inputTokens: number;
  failed: boolean;
};

/** Usage of one call, or of an indexing batch; a second delivery is recognised by `id`. */
export type UsageMessage = {
  id: string;
  at: number;
  /** `index` is not a call: only its models and tokens are counted. */
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
  /** Models besides the chat model; messages of earlier deployments have none. */
  uses?: ModelUse[] | undefined;
};

/** The usage of several calls in one message. */
export type UsageMessages = { calls: UsageMessage[] };

/** The backlog of a queue; null where it is unknown. */
export type QueueBacklog = {
  queue: string;
  waiting: number | null;
  /** When the oldest message was sent, ms. */
  oldestAt: number | null;
};

/** Queues. At-least-once and unordered: every receiver checks the current state in D1 first. */
export interface JobQueue {
  scan(message: ScanMessage, delaySeconds?: number): Promise<void>;
  /**
   * Any number; sent in batches within the platform's limits. `together`: the files are small, and
   * several of them share a message. `texts`: of files that are to be indexed from the message.
   */
  index(
    messages: IndexMessage[],
    options?: {
      delaySeconds?: number;
      together?: boolean;
      texts?: ReadonlyMap<FileId, PushedText>;
    },
  ): Promise<void>;
  /** May share a message with other calls of the same second. */
  usage(message: UsageMessage): Promise<void>;
}
