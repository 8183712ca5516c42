import { Hono } from "hono";

import { SECOND_MS, isoTime } from "../../core/clock.ts";
import { readOverview } from "../../db/overview-store.ts";
import type { PanelEnv } from "./panel-env.ts";

/** Entries of each list; the counts say how many there are in all. */
const LIST_LIMIT = 20;

/** What the panel's first page shows. */
export function overviewRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();
  app.get("/", async (context) => {
    const { db, now } = context.get("services");
    const found = await readOverview(db, now(), LIST_LIMIT);
    const waitingMs =
      found.oldestPendingSince === null ? null : Math.max(0, now() - found.oldestPendingSince);
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
      oldestPendingSeconds: waitingMs === null ? null : Math.floor(waitingMs / SECOND_MS),
    });
  });
  return app;
}
