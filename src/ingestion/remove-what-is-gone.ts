import type { FileId } from "../core/ids.ts";
import { countLiveFiles, liveFileIds } from "../db/gone-store.ts";
import { moveOn } from "../db/scan-store.ts";
import type { ScanRun } from "../db/scan-store.ts";
import type { Services } from "../services.ts";
import { LEASE_MS } from "./hold-times.ts";
import { removeGoneFiles } from "./remove-gone-files.ts";
import { readNotes } from "./scan-notes.ts";

const IDS_PER_PAGE = 5_000;
const REMOVED_PER_STEP = 500;
/** More removals than this many, and than half of the source, wait for an administrator. */
const BRAKE_FROM = 20;
const BRAKE_SHARE = 0.5;

export type HeldRemovals = { count: number; message: string };

/**
 * Removes what a complete listing no longer shows, or a change feed names as gone. Holds it
 * instead, and says so, when it would be most of the source.
 */
export async function removeWhatIsGone(
  services: Services,
  run: ScanRun,
): Promise<HeldRemovals | null> {
  const { confirmRemovals, mode, partial, seenFiles } = run.progress;
  const gone = await goneFiles(services, run);
  if (gone.length === 0) return null;
  const total = await countLiveFiles(services.db, run.source.id);
  const isEmpty = mode === "full" && seenFiles === 0 && !partial;
  if (!confirmRemovals && (isEmpty || isMassRemoval(gone.length, total))) {
    const why = isEmpty ? "the listing is empty: " : "";
    const message = `${why}removal of ${gone.length} of ${total} files is held until confirmed`;
    return { count: gone.length, message };
  }
  for (let at = 0; at < gone.length; at += REMOVED_PER_STEP) {
    const now = services.now();
    if (at > 0) await moveOn(services.db, run, run.progress, now + LEASE_MS);
    await removeGoneFiles(services, gone.slice(at, at + REMOVED_PER_STEP), run.startedAt);
  }
  return null;
}

export function isMassRemoval(removals: number, total: number): boolean {
  return removals > BRAKE_FROM && removals > total * BRAKE_SHARE;
}

async function goneFiles(services: Services, run: ScanRun): Promise<FileId[]> {
  const { seen, gone } = await readNotes(services, run);
  for (const id of seen) gone.delete(id);
  if (run.progress.mode !== "full" || run.progress.partial) return [...gone];
  let after = "";
  for (;;) {
    const rows = await liveFileIds(services.db, {
      sourceId: run.source.id,
      before: run.startedAt,
      after,
      limit: IDS_PER_PAGE,
    });
    for (const { id } of rows) if (!seen.has(id)) gone.add(id);
    const last = rows.at(-1);
    if (rows.length < IDS_PER_PAGE || last === undefined) return [...gone];
    after = last.path;
  }
}
