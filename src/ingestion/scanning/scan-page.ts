import { newId, type FileId } from "../../core/ids.ts";
import type { Audience } from "../../db/files/reader-store.ts";
import { idsOfNamed, commitPage, findKnownFiles } from "../../db/scans/listing-store.ts";
import { isMending, type ScanProgress, type ScanRun } from "../../db/scans/scan-store.ts";
import type { ListedFile, ListingPage, SourceReader } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import { audienceOf, defaultReadersOf } from "../../sources/audiences.ts";
import { storedPath } from "../../sources/file-names.ts";
import { advanceListing } from "../../sources/listing-advance.ts";
import { sendReadersOrLater } from "../readers/record-readers.ts";
import { removeFromIndexes } from "../removal/remove-from-indexes.ts";
import { LEASE_MS, timesFrom } from "../timeouts.ts";
import { comparePage } from "./compare-page.ts";
import { notePage } from "./scan-notes.ts";

/**
 * Time limit for one page of a listing, crawled pages included. The claim on the source outlasts
 * it.
 */
const PAGE_TIMEOUT_MS = 90_000;

/**
 * Lists one page, compares it, writes the changes and queues their work. Returns the run after
 * this step; null when another worker has advanced it.
 * @throws SourceFailure and what the platform throws; then nothing was committed
 */
export async function scanPage(
  services: Services,
  run: ScanRun,
  reader: SourceReader,
): Promise<ScanRun | null> {
  const listing = await listPage(run, reader);
  if (listing === null) {
    const progress = { ...restartListing(run.progress, services.now()), verify: false };
    return await scanPage(services, { ...run, progress }, reader);
  }
  const { page, deleted } = await compareWithStored(services, run, listing);
  await notePage(services, run, { seen: page.seen, deleted });
  const now = services.now();
  const after = await nextProgress(run, listing, page.seen.length);
  const isEndOfFeed = run.progress.mode === "follow" && after.listed;
  const next = isEndOfFeed && after.verify === true ? restartListing(after, now) : after;
  const committed = await commitPage(
    services.db,
    run,
    { next, counts: page.counts, problems: problemsOf(listing), writes: page.writes },
    { ...timesFrom(now), leasedUntil: now + LEASE_MS },
  );
  if (committed === null) return null;
  // Before anything else of the page: whoever may no longer read a file finds it no more.
  if (page.writes.readers.length > 0) await sendReadersOrLater(services, run.source.id);
  await services.queue.index(committed.messages);
  await removeFromIndexes(services, committed.removals);
  return { ...run, progress: next };
}

/**
 * Everything is listed from now on. Files that the change feed reported may have been deleted
 * since, and no later feed would report that.
 */
function restartListing(progress: ScanProgress, now: number): ScanProgress {
  const nothing = {
    cursor: null,
    advance: undefined,
    seenFiles: 0,
    changeCursor: null,
  };
  const { step } = progress;
  return { ...progress, ...nothing, mode: "full", listed: false, notesFrom: step, listedFrom: now };
}

async function listPage(run: ScanRun, reader: SourceReader): Promise<ListingPage | null> {
  const { mode, urls } = run.progress;
  const signal = AbortSignal.timeout(PAGE_TIMEOUT_MS);
  if (mode === "look" && urls !== null && reader.readPushed !== undefined) {
    return await reader.readPushed(urls, signal);
  }
  const { cursor } = run.progress;
  const { changeCursor } = run.source;
  if (mode === "follow" && changeCursor !== null && reader.follow !== undefined) {
    const page = await reader.follow(changeCursor, cursor, signal);
    // It may be a folder: files that moved into it would look deleted, and readers unchanged.
    return page?.unread?.length ? null : page;
  }
  return await reader.list(cursor, signal);
}

const problemsOf = ({ files, unread = [], problems = [] }: ListingPage) => [
  ...files.flatMap(({ path, failure }) =>
    failure === undefined ? [] : [{ path, message: failure.message }],
  ),
  ...unread.map(({ path, message }) => ({ path, message })),
  ...problems,
];

const isPartial = ({ partial = false, unread = [] }: ListingPage) =>
  partial || unread.some(({ id }) => id === null);

/** External ids are stored as they come. */
const nameOf = (name: string) => ({ externalId: name, path: storedPath(name) });

async function compareWithStored(services: Services, run: ScanRun, listing: ListingPage) {
  const { db } = services;
  const { id } = run.source;
  const audiences = new Map<string, Audience>();
  const files = await Promise.all(
    listing.files.map(async (file) => {
      const audience = await audienceOfFile(run, file);
      if (audience !== null) audiences.set(audience.id, audience);
      const assignment = audience === null ? {} : { audience: audience.id };
      const name = file.name.toWellFormed();
      return { ...file, path: storedPath(file.path), name, ...assignment };
    }),
  );
  const { unread = [] } = listing;
  const idsOf = async (names: string[]) =>
    names.length === 0 ? [] : await idsOfNamed(db, id, names.map(nameOf));
  const [rows, deleted, unchanged] = await Promise.all([
    findKnownFiles(db, id, files),
    idsOf(listing.deleted),
    idsOf(unread.flatMap(({ id: externalId }) => externalId ?? [])),
  ]);
  const { permissionsSince } = run.source;
  const compared = comparePage(files, rows, () => newId<FileId>(services.now()), permissionsSince);
  const changed = new Set(compared.writes.readers.map(({ audience }) => audience));
  const used = [...audiences.values()].filter(({ id: audience }) => changed.has(audience));
  const page = { ...compared, writes: { ...compared.writes, audiences: used } };
  page.seen.push(...unchanged);
  page.counts.failed += (listing.skipped ?? 0) + unread.length;
  if (isMending(run.progress)) {
    page.counts.mendedAdded = page.counts.added;
    page.counts.mendedChanged = page.counts.changed;
  }
  const earlier = new Set(page.seen);
  return { page, deleted: deleted.filter((fileId) => !earlier.has(fileId)) };
}

/** Null where permissions are off; a file that failed keeps the readers that are known. */
async function audienceOfFile({ source }: ScanRun, { readers, failure }: ListedFile) {
  if (source.permissions === "off") return null;
  if (readers === undefined && failure !== undefined) return null;
  return await audienceOf(readers ?? defaultReadersOf(source));
}

async function nextProgress({ progress }: ScanRun, listing: ListingPage, count: number) {
  const restarted = listing.restarted === true;
  return {
    ...progress,
    cursor: listing.next,
    advance: await advanceListing(restarted ? undefined : progress.advance, {
      next: listing.next,
      entries: listing.entries ?? listing.files.length + listing.deleted.length,
    }),
    ...(restarted ? { notesFrom: progress.step } : {}),
    step: progress.step + 1,
    leftOut: listing.leftOut ?? progress.leftOut,
    listed: listing.next === null || progress.mode === "look",
    partial: progress.partial || isPartial(listing),
    seenFiles: (restarted ? 0 : progress.seenFiles) + count,
    attempts: 0,
    againAt: listing.againAt ?? (restarted ? undefined : progress.againAt),
    changeCursor: listing.changeCursor ?? (restarted ? null : progress.changeCursor),
    commit: crypto.randomUUID(),
  };
}
