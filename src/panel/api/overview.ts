import { Hono } from "hono";

import { HOUR_MS, SECOND_MS, isoTime } from "../../core/time.ts";
import { countSecrets } from "../../access/secrets/count-secrets.ts";
import { readOverview } from "../../db/maintenance/overview-store.ts";
import type { PanelEnv } from "./request/panel-env.ts";

/** Entries of each list; the counts say how many there are in all. */
const LIST_LIMIT = 20;
/** Window of the rates: long enough for a quiet service, short enough to show current problems. */
const CALL_HOURS = 24;

/** What the panel's first page shows. */
export function overviewRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();
  app.get("/", async (context) => {
    const { config, db, now, queueBacklog, vectorIndex } = context.get("services");
    const time = now();
    const callsSince = time - (time % HOUR_MS) - (CALL_HOURS - 1) * HOUR_MS;
    const asked = { now: time, callsSince, limit: LIST_LIMIT };
    const [found, queues, secrets] = await Promise.all([
      readOverview(db, asked),
      queueBacklog(),
      countSecrets({ config, db }),
    ]);
    return context.json({
      files: found.counts,
      failingFiles: found.failingFiles,
      failingSources: found.failingSources.map(({ identifier, name, error, finishedAt }) => ({
        identifier,
        name,
        error,
        since: finishedAt === null ? null : isoTime(finishedAt),
      })),
      scansUnderWay: found.scans.map(({ identifier, name, startedAt }) => ({
        identifier,
        name,
        startedAt: isoTime(startedAt),
      })),
      oldestPendingSeconds: ageOf(found.oldestPendingSince, time),
      queues: queues.map(({ queue, waiting, oldestAt }) => ({
        queue,
        waiting,
        oldestSeconds: ageOf(oldestAt, time),
      })),
      calls: { hours: CALL_HOURS, ...ratesOf(found.calls) },
      vectorIndex: vectorIndex === null ? null : reconciliationOf(found.verifications),
      secrets,
    });
  });
  return app;
}

function ageOf(since: number | null, now: number): number | null {
  return since === null ? null : Math.floor(Math.max(0, now - since) / SECOND_MS);
}

/** The comparison with the vector index outside, which goes over each index once a day. */
function reconciliationOf(found: Awaited<ReturnType<typeof readOverview>>["verifications"]) {
  const timeOf = (time: number | null) => (time === null ? null : isoTime(time));
  return {
    indexes: found.indexes,
    /** The number of RAGs compared completely; the counts are from their last comparison. */
    compared: found.compared,
    lastComparedAt: timeOf(found.lastEndedAt),
    vectorsChecked: found.checked,
    vectorsAddedAgain: found.addedAgain,
    vectorsRemoved: found.removed,
    underWay: found.underWay,
    underWaySince: timeOf(found.underWaySince),
  };
}

type Calls = { calls: number; errors: number; degraded: number };

/** Parts of all calls, 0 to 1, to three decimals; 0 where there were none. */
function ratesOf({ calls, errors, degraded }: Calls = { calls: 0, errors: 0, degraded: 0 }) {
  const rate = (part: number) => (calls === 0 ? 0 : Math.round((part / calls) * 1_000) / 1_000);
  return { total: calls, errors, degraded, errorRate: rate(errors), degradedRate: rate(degraded) };
}
