import { latencyBucket } from "../core/calls/latency-buckets.ts";
import type { ModelUse, UsageMessage } from "../core/queue-messages.ts";
import { DAY_MS, HOUR_MS } from "../core/time.ts";
import { toBatches } from "../core/work/batches.ts";
import { findPrices, priceOf, PRICED_TOKENS, type Prices } from "../db/catalog/model-store.ts";
import { addUsage, readFoldedUsageIds, SUMMED } from "../db/usage/usage-store.ts";
import type { UsageDimension, UsageRow } from "../db/usage/usage-store.ts";
import type { Services } from "../services.ts";

/**
 * A queue keeps a message for 4 days, its dead-letter queue for 4 more: no message arrives later.
 */
const REMEMBERED_MS = 10 * DAY_MS;

/** A statement lists its calls as parameters; a message has up to 100 calls. */
const CALLS_PER_STEP = 1_000;

/** Folds usage into hourly rows; a call that was counted before is ignored. */
export async function foldUsage(
  services: Pick<Services, "db" | "now">,
  calls: readonly UsageMessage[],
): Promise<void> {
  for (const step of toBatches(calls, CALLS_PER_STEP)) await foldStep(services, step);
}

async function foldStep(
  { db, now }: Pick<Services, "db" | "now">,
  messages: readonly UsageMessage[],
): Promise<void> {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const folded = await readFoldedUsageIds(db, [...byId.values()]);
  const fresh = [...byId.values()].filter(({ id }) => !folded.has(id));
  if (fresh.length === 0) return;
  const rows = rowsOf(fresh, await pricesOf(db, fresh));
  await addUsage(db, { messages: fresh, rows, forgetBefore: now() - REMEMBERED_MS });
}

async function pricesOf(db: Services["db"], messages: UsageMessage[]): Promise<Prices> {
  const models = new Set(messages.flatMap(({ uses = [] }) => uses.map(({ model }) => model)));
  return models.size === 0 ? new Map() : await findPrices(db, [...models]);
}

type Subject = [UsageDimension, string];
type Counts = Omit<UsageRow, "hour" | "dimension" | "key">;

/** Each call adds to one row for every resource that it used, each model to its own. */
function rowsOf(messages: UsageMessage[], prices: Prices): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const message of messages) {
    const hour = message.at - (message.at % HOUR_MS);
    const called = countsOfCall(message);
    if (message.kind !== "index") {
      for (const touched of dimensionsOf(message, message.ragIds, message.model))
        add(rows, hour, touched, called);
    }
    for (const use of message.uses ?? []) {
      const used = countsOfUse(use, prices);
      add(rows, hour, ["model", use.model], used);
      if (used.inputTokens + used.outputTokens === 0) continue;
      // A call is counted once, however many models it used.
      const beside = { ...used, latencies: {}, calls: 0, errors: 0 };
      for (const touched of dimensionsOf(message, use.ragIds, null))
        add(rows, hour, touched, beside);
    }
  }
  return [...rows.values()];
}

function countsOfCall(message: UsageMessage): Counts {
  const { outcome, inputTokens, outputTokens, latencyMs, cost, currency } = message;
  return {
    latencies: { [latencyBucket(latencyMs)]: 1 },
    currency: currency ?? "",
    calls: 1,
    errors: Number(outcome === "error"),
    degraded: Number(outcome === "degraded"),
    inputTokens,
    outputTokens,
    cost: cost ?? 0,
  };
}

function countsOfUse(use: ModelUse, prices: Prices): Counts {
  const { kind, model, calls, failed, inputTokens, outputTokens = 0, latencyMs } = use;
  const price = priceOf(prices, kind, model);
  return {
    latencies: { [latencyBucket(latencyMs)]: calls },
    currency: price?.currency ?? "",
    calls,
    errors: failed ? calls : 0,
    degraded: 0,
    inputTokens,
    outputTokens,
    cost:
      (inputTokens * (price?.inputPrice ?? 0) + outputTokens * (price?.outputPrice ?? 0)) /
      PRICED_TOKENS,
  };
}

/** Things that a call touches, or a model that it used in these RAGs. */
function dimensionsOf(
  { inferenceId, agentId, tokenId }: UsageMessage,
  ragIds: readonly string[],
  model: string | null,
): Subject[] {
  const keys: [UsageDimension, string | null][] = [
    ["all", ""],
    ["inference", inferenceId],
    ["agent", agentId],
    ["token", tokenId],
    ["model", model],
    ...ragIds.map((id): Subject => ["rag", id]),
  ];
  return keys.flatMap(([dimension, key]) => (key === null ? [] : [[dimension, key]]));
}

function add(rows: Map<string, UsageRow>, hour: number, [dimension, key]: Subject, counts: Counts) {
  const id = JSON.stringify([hour, dimension, key, counts.currency]);
  const row = rows.get(id);
  if (row === undefined) {
    rows.set(id, { hour, dimension, key, ...counts, latencies: { ...counts.latencies } });
    return;
  }
  for (const field of SUMMED) row[field] += counts[field];
  for (const [bucket, calls] of Object.entries(counts.latencies)) {
    row.latencies[bucket] = (row.latencies[bucket] ?? 0) + calls;
  }
}
