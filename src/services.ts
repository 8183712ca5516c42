import type { Config } from "./config.ts";
import type { CallRecord } from "./core/calls/call-record.ts";
import type { FileSourceId } from "./core/ids.ts";
import type { Log } from "./core/log.ts";
import type { Now } from "./core/time.ts";
import type { Trace } from "./core/trace.ts";
import type { ExtractionMemory } from "./core/work/extraction-memory.ts";
import type { StorageState } from "./core/work/storage-state.ts";
import type { CallerTurns } from "./core/work/turns.ts";
import type { RecentLookups } from "./db/access/recent-lookups.ts";
import type { Database, Reads } from "./db/sql.ts";
import type { RequestRecords } from "./env.ts";
import type { FileStore } from "./ports/file-store.ts";
import type { JobQueue, QueueBacklog } from "./ports/job-queue.ts";
import type { ModelRegistry } from "./ports/models.ts";
import type { RagIndexes } from "./ports/rag-index.ts";
import type { RateLimits } from "./ports/rate-limits.ts";
import type { SourceReaders } from "./ports/source-reader.ts";
import type { Spending, SpendingLedger } from "./ports/spending.ts";
import type { VectorIndex } from "./ports/vector-index.ts";

/**
 * The dependencies of the domain code, created by compose.ts once per event. A function takes them
 * as its first argument and, if it needs few, only a `Pick` of them.
 */
export type Services = {
  config: Config;
  /** The deployed version, whose tag is the commit; null where the platform reports none. */
  version: { id: string; tag: string } | null;
  now: Now;
  log: Log;
  trace: Trace;
  db: Database;
  /**
   * The session of this request: begins at the primary, continues at replicas that have caught up.
   */
  reads: Reads;
  /** Shared by all events of an isolate. */
  recentLookups: RecentLookups;
  /** Registrations of programs, and hashes of their codes and tokens. */
  programs: KVNamespace;
  /** Bytes of pushed files and extracted texts. */
  files: FileStore;
  queue: JobQueue;
  queueBacklog: () => Promise<QueueBacklog[]>;
  ragIndexes: RagIndexes;
  /** Null: nearest neighbours are searched inside the RAG's index object. */
  vectorIndex: VectorIndex | null;
  /** Their calls keep to `spending`, the limits of this event or of a part of it. */
  models: ModelRegistry;
  spending: Spending;
  ledger: SpendingLedger;
  rateLimits: RateLimits;
  requestRecords: Pick<RequestRecords, "list" | "counters" | "count">;
  /** Resolves when the call is sent, alone or with others of its isolate. */
  recordCall: (call: CallRecord) => Promise<void>;
  /** Shared by all events of an isolate. */
  storage: StorageState;
  /** Shared by all events of an isolate. */
  extractionMemory: ExtractionMemory;
  turns: CallerTurns;
  /** To be awaited before work on so many bytes of text, so that others are served in between. */
  takeTurn: (bytes: number) => Promise<void>;
  sourceReaders: SourceReaders;
  /** Reaches any address; absent: the platform's fetch does, as far as it allows. */
  privateNetwork?: Pick<Fetcher, "fetch"> | undefined;
  /** A request to an OpenID provider, through the guard; a redirect is not followed. */
  askIssuer: (address: string, request: RequestInit) => Promise<Response>;
  /** Sets the clock's alarm unless it is set; cheap when it is. */
  wakeClock: () => Promise<void>;
  /** A source changed: one scan is queued after 10 seconds for all changes, or the first at once. */
  debounceDriveScan: (fileSourceId: FileSourceId, startsAtOnce?: boolean) => Promise<void>;
  /** The object that sends the events of an endpoint begins, unless it is at work. */
  wakeSender: (endpointId: string) => Promise<void>;
  /** Work that the answer does not wait for. */
  runInBackground: (work: Promise<unknown>) => void;
};
