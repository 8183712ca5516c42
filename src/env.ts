import type { CallCounters, CallRecord } from "./core/calls/call-record.ts";
import type { FileSourceId } from "./core/ids.ts";
import type { IndexMessage, ScanMessage, UsageMessage } from "./core/queue-messages.ts";
import type { UsageMessages } from "./ports/job-queue.ts";
import type { RagIndex } from "./ports/rag-index.ts";
import type { RateVerdict } from "./ports/rate-limits.ts";
import type { SpendingLedger } from "./ports/spending.ts";

/* Namespaces are typed by methods, because the implementing classes need the bindings themselves. */

/** Sets the alarm unless it is due within a minute. */
export type Clock = { wake(): Promise<void> };

/**
 * Schedules a scan of the source in 10 seconds, unless one is scheduled already. With
 * `startsAtOnce`, the first notification queues its scan now, and later ones share the next.
 */
export type DriveDebounce = {
  notify(fileSourceId: FileSourceId, startsAtOnce?: boolean): Promise<void>;
};

/** Counts a request if fewer than `limit` were allowed in the window. */
export type RateWindow = { take(limit: number): Promise<RateVerdict> };

/** Sends the events of an endpoint now, and goes on by itself while it is enabled. */
export type EventSender = { wake(endpointId: string): Promise<void> };

/** The request log, and the counters of calls. */
export type RequestRecords = {
  add(calls: CallRecord[]): Promise<void>;
  /** The newest first, of 7 days: the last 1,000 of all (null), or the last 100 of a token. */
  list(tokenId: string | null): Promise<CallRecord[]>;
  counters(): Promise<CallCounters>;
  /** Adds one to a series that is not one of calls. */
  count(series: string): Promise<void>;
};

type Objects<Port> = DurableObjectNamespace<Port & Rpc.DurableObjectBranded>;

/** The Worker's bindings; variables are in config.ts. */
export type Env = {
  DB: D1Database;
  FILES: R2Bucket;
  OAUTH_KV: KVNamespace;
  RATE_WINDOW: Objects<RateWindow>;
  SPENDING_LEDGER: Objects<SpendingLedger>;
  REQUEST_RECORDS: Objects<RequestRecords>;
  RAG_INDEX: Objects<RagIndex>;
  CLOCK: Objects<Clock>;
  DRIVE_DEBOUNCE: Objects<DriveDebounce>;
  EVENT_SENDER: Objects<EventSender>;
  SCAN_QUEUE: Queue<ScanMessage>;
  INDEX_QUEUE: Queue<IndexMessage>;
  USAGE_QUEUE: Queue<UsageMessage | UsageMessages>;
  ASSETS?: Fetcher;
  /** A started service only, whose own fetch reaches public addresses alone. */
  PRIVATE_NETWORK?: Fetcher;
  VERSION?: WorkerVersionMetadata;
  /** Production only. */
  AI?: Ai;
  VECTORIZE?: Vectorize;
};
