import type { Clock, DriveDebounce, RateWindow } from "./ports/own-objects.ts";
import type { RagIndex } from "./ports/rag-index.ts";
import type { IndexMessage, ScanMessage, UsageMessage } from "./core/queue-messages.ts";
import type { UsageMessages } from "./ports/job-queue.ts";

/**
 * Namespaces are typed by ports, because the implementing classes need the bindings themselves.
 */
type Objects<Port> = DurableObjectNamespace<Port & Rpc.DurableObjectBranded>;

/** The Worker's bindings; variables are in config.ts. */
export type Env = {
  DB: D1Database;
  FILES: R2Bucket;
  OAUTH_KV: KVNamespace;
  RATE_WINDOW: Objects<RateWindow>;
  RAG_INDEX: Objects<RagIndex>;
  CLOCK: Objects<Clock>;
  DRIVE_DEBOUNCE: Objects<DriveDebounce>;
  SCAN_QUEUE: Queue<ScanMessage>;
  INDEX_QUEUE: Queue<IndexMessage>;
  USAGE_QUEUE: Queue<UsageMessage | UsageMessages>;
  ASSETS?: Fetcher;
  VERSION?: WorkerVersionMetadata;
  /** Production only. */
  AI?: Ai;
  VECTORIZE?: Vectorize;
};
