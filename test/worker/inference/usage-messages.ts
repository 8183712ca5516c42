import { env } from "cloudflare:workers";
import { beforeEach } from "vitest";

import { usageReport } from "../../../src/catalog/usage/usage-report.ts";
import type { UsageMessage } from "../../../src/core/queue-messages.ts";
import { DAY_MS, HOUR_MS } from "../../../src/core/time.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { usageMessage } from "../../support/usage-message.ts";

export const db = openDatabase(env.DB);
export const NOON = Date.parse("2026-05-04T12:00:00Z");
export const services = { db, now: () => NOON + HOUR_MS };

/** A retrieval at noon that cost nothing. */
export const messageOf = (more: Partial<UsageMessage>): UsageMessage =>
  usageMessage({ at: NOON, ragIds: ["rag-a", "rag-b"], latencyMs: 100, uses: [], ...more });

export const report = async (
  group: Parameters<typeof usageReport>[1]["group"],
  from = NOON,
  to = from + DAY_MS,
) => (await usageReport(db, { from, to, group })).lines;

export const forgetUsageBeforeEach = () =>
  beforeEach(async () => {
    await db.$client.batch([
      db.$client.prepare("delete from usage_hours"),
      db.$client.prepare("delete from usage_counted"),
    ]);
  });
