import type { IndexMessage, ScanMessage, UsageMessage } from "./ports/job-queue.ts";

/** The Worker's bindings; variables are in config.ts. */
export type Env = {
  DB: D1Database;
  FILES: R2Bucket;
  RATE_WINDOW: DurableObjectNamespace;
  RAG_INDEX: DurableObjectNamespace;
  CLOCK: DurableObjectNamespace;
  DRIVE_DEBOUNCE: DurableObjectNamespace;
  SCAN_QUEUE: Queue<ScanMessage>;
  INDEX_QUEUE: Queue<IndexMessage>;
  USAGE_QUEUE: Queue<UsageMessage>;
  ASSETS?: Fetcher;
  VERSION?: WorkerVersionMetadata;
  /** Production only. */
  AI?: Ai;
  VECTORIZE?: Vectorize;
};
