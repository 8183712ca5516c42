import { readProviderKeys } from "./access/secrets/read-provider-keys.ts";
import { BoundedBindings } from "./adapters/cloudflare/bounded-bindings.ts";
import { cloudflareQueue } from "./adapters/cloudflare/job-queue.ts";
import { Outbox, pause } from "./adapters/cloudflare/outbox.ts";
import { ragIndexes } from "./adapters/cloudflare/own-objects.ts";
import { platformTrace } from "./adapters/cloudflare/platform-trace.ts";
import { queueBacklog } from "./adapters/cloudflare/queue-backlog.ts";
import { durableRateLimits } from "./adapters/cloudflare/rate-limits.ts";
import { vectorizeIndex } from "./adapters/cloudflare/vectorize-index.ts";
import { modelRegistry } from "./adapters/model-registry.ts";
import { meteredModels } from "./catalog/limits/metered-models.ts";
import { spendingOf } from "./catalog/limits/spending.ts";
import { ConfigError, parseConfig, type Config } from "./config.ts";
import type { CallRecord } from "./core/calls/call-record.ts";
import { jsonLog } from "./core/log.ts";
import type { UsageMessage } from "./core/queue-messages.ts";
import { Pace } from "./core/work/cooperative.ts";
import { awaitOrNull } from "./core/work/deadline.ts";
import { ExtractionMemory } from "./core/work/extraction-memory.ts";
import { StorageState } from "./core/work/storage-state.ts";
import { Turns } from "./core/work/turns.ts";
import { RecentLookups } from "./db/access/recent-lookups.ts";
import { openDatabase, openReads } from "./db/sql.ts";
import type { Env } from "./env.ts";
import { checkStorage } from "./ingestion/maintenance/check-storage.ts";
import type { Services } from "./services.ts";
import { guardedExchange } from "./sources/guarded-fetch.ts";
import { openSource, outgoingOf } from "./sources/open-source.ts";

/** The part of a request's or event's context that services use; objects have no tracing. */
type Context = { waitUntil(work: Promise<unknown>): void; tracing?: Tracing };

/**
 * Parsed once per isolate: the bindings and variables of a deployment never change during its
 * life.
 */
const configs = new WeakMap<Env, ReturnType<typeof parseConfig>>();

/** D1 ends a query after 30 seconds. */
const DATABASE_SECONDS = 60;
/** The longest calls write a large file or compare all vectors of an index. */
const INDEX_SECONDS = 120;
/** A ledger that takes longer refuses the call; a local one waits for everything else. */
const LEDGER_SECONDS = { here: 60, deployed: 3 };

/** The request log lists a call within 5 seconds. */
const CALL_WAIT_MS = 2_000;
const CALL_SENT_WITHIN_MS = 10_000;

/** Bytes of text between two turns: some 50 ms of chunking, embedding and storing. */
const BYTES_PER_TURN = 256 * 1_024;

/** Memory belongs to the isolate and is shared by its events. */
const extractionMemory = new ExtractionMemory();
const usageOutbox = new Outbox<UsageMessage>();
const callOutbox = new Outbox<CallRecord>();
const recentLookups = new RecentLookups();
export const storage = new StorageState();

let searchTurns: Turns | null = null;
const searchTurnsOf = ({ SEARCHES_AT_ONCE: atOnce, SEARCHES_WAITING: waiting }: Config) =>
  (searchTurns ??= new Turns({ atOnce, waiting }));

function configOf(env: Env) {
  const parsed = configs.get(env);
  if (parsed !== undefined) return parsed;
  const config = parseConfig(env);
  configs.set(env, config);
  return config;
}

/** Creates Services from configuration and bindings. The only importer of adapters. */
export function composeServices(env: Env, context: Context): Services {
  const config = configOf(env);
  const suspectStorage = () => {
    storage.suspect();
    context.waitUntil(checkStorage(services));
  };
  // A local runtime reads nothing from the network while there is work.
  const pace = new Pace(() => scheduler.wait(0), BYTES_PER_TURN);
  const isLocal = config.ENVIRONMENT === "development";
  const bindings = new BoundedBindings({ isLocal, suspect: suspectStorage });
  const queues = {
    scan: bindings.limitCalls(env.SCAN_QUEUE),
    index: bindings.limitCalls(env.INDEX_QUEUE),
    usage: bindings.limitCalls(env.USAGE_QUEUE),
  };
  const spending = spendingOf(() => services);
  const keys = () => readProviderKeys(services, services.now());
  const { PRIVATE_NETWORK: privateNetwork } = env;
  // Their servers are named by the environment and by administrators.
  const fetch = privateNetwork?.fetch.bind(privateNetwork);
  const ledgerSeconds = isLocal ? LEDGER_SECONDS.here : LEDGER_SECONDS.deployed;
  const readsToCarry = () => recentLookups.limits.dueReads(services.now);
  const services: Services = {
    config,
    version: env.VERSION === undefined ? null : { id: env.VERSION.id, tag: env.VERSION.tag },
    now: () => Date.now(),
    log: jsonLog(),
    trace: platformTrace(context.tracing),
    db: openDatabase(bindings.limitCalls(env.DB, DATABASE_SECONDS)),
    reads: openReads(bindings.limitCalls(env.DB, DATABASE_SECONDS), readsToCarry),
    recentLookups,
    storage,
    files: bindings.bucket(env.FILES),
    programs: bindings.limitCalls(env.OAUTH_KV),
    ragIndexes: ragIndexes(bindings.limitCalls(env.RAG_INDEX, INDEX_SECONDS)),
    models: meteredModels(modelRegistry(config, { ai: env.AI, keys, fetch }), spending),
    spending,
    ledger: bindings.limitCalls(env.SPENDING_LEDGER, ledgerSeconds).getByName("ledger"),
    vectorIndex:
      config.VECTOR_INDEX === "embedded" ? null : vectorizeIndex(vectorizeOf(env, config)),
    extractionMemory,
    turns: { caller: "", searches: searchTurnsOf(config), pass: () => scheduler.wait(0) },
    takeTurn: (bytes) => pace.count(bytes),
    rateLimits: durableRateLimits(bindings.limitCalls(env.RATE_WINDOW, INDEX_SECONDS), config),
    requestRecords: bindings.limitCalls(env.REQUEST_RECORDS).getByName("calls"),
    recordCall: callRecorder(env, config),
    queue: cloudflareQueue(queues, { outbox: usageOutbox, waitMs: config.USAGE_WAIT_MS }),
    queueBacklog: () => queueBacklog(queues),
    askIssuer: async (address, request) =>
      await guardedExchange(outgoingOf(services), address, request),
    privateNetwork,
    sourceReaders: async (source) => await openSource(services, source),
    wakeClock: () => bindings.limitCalls(env.CLOCK).getByName("clock").wake(),
    debounceDriveScan: (id, startsAtOnce = false) =>
      bindings.limitCalls(env.DRIVE_DEBOUNCE).getByName(id).notify(id, startsAtOnce),
    wakeSender: (id) => bindings.limitCalls(env.EVENT_SENDER).getByName(id).wake(id),
    runInBackground: (work: Promise<unknown>) => context.waitUntil(work),
  };
  return services;
}

/** Nobody waits for a call's record, and it says nothing about the storage. */
function callRecorder(env: Env, { USAGE_WAIT_MS }: Config): Services["recordCall"] {
  const waitMs = Math.min(USAGE_WAIT_MS, CALL_WAIT_MS);
  const send = (calls: CallRecord[]) =>
    awaitOrNull(env.REQUEST_RECORDS.getByName("calls").add(calls), CALL_SENT_WITHIN_MS);
  return async (call) => await callOutbox.add(call, { waitMs, now: Date.now, pause, send });
}

/** A variable selects the adapter; a missing binding that it needs is an error. */
function vectorizeOf(env: Env, { VECTOR_INDEX: wanted }: Config) {
  if (env.VECTORIZE !== undefined) return env.VECTORIZE;
  throw new ConfigError([`VECTOR_INDEX: ${wanted} needs the binding VECTORIZE`]);
}
