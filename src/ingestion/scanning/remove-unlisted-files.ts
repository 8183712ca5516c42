import type { FileId } from "../../core/ids.ts";
import { isMassRemoval, REMOVED_FREELY } from "../../core/mass-removal.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { countLiveFiles, liveFileIds } from "../../db/scans/listing-store.ts";
import { isMending, advance, noteMendedRemovals, type ScanRun } from "../../db/scans/scan-store.ts";
import type { Services } from "../../services.ts";
import { removeDeletedFiles } from "../removal/remove-from-indexes.ts";
import { LEASE_MS } from "../timeouts.ts";
import { readNotes } from "./scan-notes.ts";

const IDS_PER_PAGE = 5_000;
const REMOVED_PER_STEP = 500;
/** A provider's listing may lag behind its change feed, which has just reported these files. */
const LISTING_LAG_MS = 10 * MINUTE_MS;

/**
 * Removes files that a complete listing no longer contains, or that a change feed reports as
 * deleted. When these are most of the source, they are kept, and the scan reports it.
 * `contradicted`: the listing shows a file that the change feed had reported as deleted.
 */
export async function removeUnlistedFiles(services: Services, run: ScanRun) {
  const { unlisted, contradicted } = await unlistedFiles(services, run);
  const hold = unlisted.length === 0 ? null : await holdOrRemove(services, run, unlisted);
  return { held: hold, contradicted };
}

async function holdOrRemove(services: Services, run: ScanRun, unlisted: FileId[]) {
  const { confirmRemovals, mode, partial, seenFiles } = run.progress;
  const isEmpty = mode === "full" && seenFiles === 0 && !partial;
  if (!confirmRemovals && (isEmpty || unlisted.length > REMOVED_FREELY)) {
    // New files do not make up for what is missing, nor do those of runs that held it back.
    const before = run.source.heldSince ?? listingStartOf(run);
    const total = await countLiveFiles(services.db, run.source.id, before);
    if (isEmpty || isMassRemoval(unlisted.length, total)) {
      const why = isEmpty ? "the listing is empty: " : "";
      const message = `${why}removal of ${unlisted.length} of ${total} files is held until confirmed`;
      return { count: unlisted.length, message };
    }
  }
  await removeInSteps(services, run, unlisted);
  return null;
}

async function removeInSteps(services: Services, run: ScanRun, unlisted: FileId[]): Promise<void> {
  for (let at = 0; at < unlisted.length; at += REMOVED_PER_STEP) {
    const now = services.now();
    const isOurs = at === 0 || (await advance(services.db, run, run.progress, now + LEASE_MS));
    if (!isOurs) return;
    // Other writers to a listed source have seen their files later than the listing; a feed
    // reports changes in the order in which they happened, including those of this run.
    const before = run.progress.mode === "follow" ? now : listingStartOf(run);
    await removeDeletedFiles(services, unlisted.slice(at, at + REMOVED_PER_STEP), before);
  }
}

const listingStartOf = ({ startedAt, progress }: ScanRun) => progress.listedFrom ?? startedAt;

/** Files added later than this are not expected in the listing, ms. */
const expectedUntil = (run: ScanRun) =>
  isMending(run.progress) ? listingStartOf(run) - LISTING_LAG_MS : listingStartOf(run);

async function unlistedFiles(services: Services, run: ScanRun) {
  const { mode, partial, step, notesFrom = 0 } = run.progress;
  const { seen: listedIds, deleted: unlisted } = await readNotes(services, run, notesFrom, step);
  const isComplete = mode === "full" && !partial;
  if (isComplete) await addUnlisted(services, run, listedIds, unlisted);
  if (!isComplete || !isMending(run.progress)) {
    return { unlisted: [...unlisted], contradicted: false };
  }
  const { deleted: reported } = await readNotes(services, run, 0, notesFrom);
  for (const id of reported) unlisted.delete(id);
  if (unlisted.size > 0) await noteMendedRemovals(services.db, run, unlisted.size);
  // No later feed repeats these; that they are new does not excuse them from the listing.
  const confirmed = [...reported].filter((id) => !listedIds.has(id));
  return {
    unlisted: [...unlisted, ...confirmed],
    contradicted: confirmed.length < reported.size,
  };
}

/** Adds live files that the listing should contain and does not. */
async function addUnlisted(
  services: Services,
  run: ScanRun,
  listedIds: Set<FileId>,
  unlisted: Set<FileId>,
): Promise<void> {
  let after = "";
  for (;;) {
    const rows = await liveFileIds(services.db, {
      sourceId: run.source.id,
      before: expectedUntil(run),
      after,
      limit: IDS_PER_PAGE,
    });
    for (const { id } of rows) if (!listedIds.has(id)) unlisted.add(id);
    const last = rows.at(-1);
    if (rows.length < IDS_PER_PAGE || last === undefined) return;
    after = last.path;
  }
}
