import { desc, eq } from "drizzle-orm";

import type { FileSourceId } from "../../core/ids.ts";
import type { ScanRunRow } from "../catalog/source-store.ts";
import type { Database } from "../client.ts";
import { fileSources, scanRuns } from "../schema/index.ts";

/** One page of a source's runs, the newest first. */
export async function listScanRuns(
  db: Database,
  id: FileSourceId,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ data: ScanRunRow[]; total: number }> {
  const of = eq(scanRuns.fileSourceId, id);
  const [data, [counted]] = await db.batch([
    db
      .select()
      .from(scanRuns)
      .where(of)
      .orderBy(desc(scanRuns.startedAt), desc(scanRuns.id))
      .limit(limit)
      .offset(offset),
    db.select({ total: fileSources.runCount }).from(fileSources).where(eq(fileSources.id, id)),
  ]);
  return { data, total: counted?.total ?? 0 };
}
