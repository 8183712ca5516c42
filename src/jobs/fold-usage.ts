import { DAY_MS, HOUR_MS } from "../core/clock.ts";
import { latencyBucket } from "../core/latency-buckets.ts";
import { addUsage, foldedUsageIds } from "../db/usage-store.ts";
import type { UsageDimension, UsageRow } from "../db/usage-store.ts";
import type { UsageMessage } from "../ports/job-queue.ts";
import type { Services } from "../services.ts";

/** A queue keeps a message for 4 days at most; after that no second delivery can come. */
const REMEMBERED_MS = 7 * DAY_MS;

/** Folds usage into hourly rows; a message that was counted before counts no more. */
export async function foldUsage(
  { db, now }: Pick<Services, "db" | "now">,
  messages: readonly UsageMessage[],
): Promise<void> {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const folded = await foldedUsageIds(db, [...byId.keys()]);
  const fresh = [...byId.values()].filter(({ id }) => !folded.has(id));
  if (fresh.length === 0) return;
  const ids = fresh.map(({ id }) => id);
  const time = now();
  await addUsage(db, { ids, rows: rowsOf(fresh), now: time, forgetBefore: time - REMEMBERED_MS });
}

/** Each call adds to one row for every resource that it touched. */
function rowsOf(messages: UsageMessage[]): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const message of messages) {
    for (const [dimension, key] of touched(message)) add(rows, dimension, key, message);
  }
  return [...rows.values()];
}

function touched(message: UsageMessage): [UsageDimension, string][] {
  const { inferenceId, agentId, ragIds, tokenId, model } = message;
  const named: [UsageDimension, string | null][] = [
    ["all", ""],
    ["inference", inferenceId],
    ["agent", agentId],
    ["token", tokenId],
    ["model", model],
    ...ragIds.map((id): [UsageDimension, string] => ["rag", id]),
  ];
  return named.flatMap(([dimension, key]) => (key === null ? [] : [[dimension, key]]));
}

function add(
  rows: Map<string, UsageRow>,
  dimension: UsageDimension,
  key: string,
  message: UsageMessage,
): void {
  const hour = message.at - (message.at % HOUR_MS);
  const bucket = latencyBucket(message.latencyMs);
  const currency = message.currency ?? "";
  const id = JSON.stringify([hour, dimension, key, bucket, currency]);
  const empty = { calls: 0, errors: 0, degraded: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
  const row = rows.get(id) ?? { hour, dimension, key, bucket, currency, ...empty };
  row.calls += 1;
  row.errors += Number(message.outcome === "error");
  row.degraded += Number(message.outcome === "degraded");
  row.inputTokens += message.inputTokens;
  row.outputTokens += message.outputTokens;
  row.cost += message.cost ?? 0;
  rows.set(id, row);
}
