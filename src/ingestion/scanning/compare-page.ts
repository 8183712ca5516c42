import type { FileId } from "../../core/ids.ts";
import type { KnownRow, ListedWrite, PageWrites } from "../../db/scans/listing-store.ts";
import { NO_COUNTS, type RunCounts } from "../../db/scans/scan-store.ts";
import type { ListedFile } from "../../ports/source-reader.ts";

/** `audience`: absent where permissions are off, or not known this time. */
export type ComparedFile = ListedFile & { audience?: string };

export type PageComparison = {
  writes: Omit<PageWrites, "audiences">;
  counts: RunCounts;
  /** Every listed file that exists now, to find unlisted files at the end of the scan. */
  seen: FileId[];
};

/** Failures of these kinds may pass; others are caused by the file itself. */
const OUTSIDE_KINDS = new Set(["throttled", "down", "denied"]);

/**
 * Computes what a page of a listing changes. A file is identified by its external id, else by its
 * path; equal versions mean equal bytes. Pure: `idOf` makes the ids of new files.
 */
export function comparePage(
  files: ComparedFile[],
  rows: KnownRow[],
  idOf: () => FileId,
  permissionsSince = 0,
): PageComparison {
  const page: PageComparison = {
    writes: { writes: [], moved: [], states: [], failures: [], readers: [] },
    counts: { ...NO_COUNTS },
    seen: [],
  };
  const find = finderOf(rows, new Set(files.map(({ externalId }) => externalId)));
  const matchedIds = new Set<FileId>();
  const lastOfPath = new Map(files.map((file) => [file.path, file]));
  for (const file of lastOfPath.values()) {
    const match = find(file);
    const row = match !== null && !matchedIds.has(match.id) ? match : null;
    const id = row?.id ?? idOf();
    matchedIds.add(id);
    page.seen.push(id);
    compareFile(page, file, row, id);
    const { audience } = file;
    if (audience === undefined) continue;
    if (row?.audience === audience && row.readersRevision >= permissionsSince) continue;
    page.writes.readers.push({ id, audience, isNew: row === null });
  }
  return page;
}

function finderOf(rows: KnownRow[], listedIds: Set<string | null>) {
  const byExternalId = new Map(rows.map((row) => [row.externalId, row]));
  const byPath = new Map(rows.map((row) => [row.path, row]));
  return ({ path, externalId }: ListedFile): KnownRow | null => {
    const same = externalId === null ? undefined : byExternalId.get(externalId);
    if (same !== undefined) return same;
    const samePath = byPath.get(path);
    // The file known at that path is listed under another path: it has moved and is not this file.
    const isListed = samePath?.externalId !== null && listedIds.has(samePath?.externalId ?? null);
    return samePath === undefined || isListed ? null : samePath;
  };
}

function compareFile(page: PageComparison, file: ListedFile, row: KnownRow | null, id: FileId) {
  const live = row !== null && row.deletedAt === null ? row : null;
  if (file.failure !== undefined) return compareFailing(page, file, { live, row, id });
  const { writes, counts } = page;
  if (live !== null && isSame(file, live)) {
    counts.unchanged++;
    counts.downloadsSaved++;
    if (equalJson(file.sourceState, live.sourceState)) return;
    writes.states.push({ id, sourceState: file.sourceState });
    return;
  }
  counts[live === null ? "added" : "changed"]++;
  if (live?.version === file.version) counts.downloadsSaved++;
  write(page, file, row, id);
}

/** A file that was read before stays, but for its state, when its source fails to return it. */
function compareFailing(
  page: PageComparison,
  file: ListedFile,
  { live, row, id }: { live: KnownRow | null; row: KnownRow | null; id: FileId },
): void {
  page.counts.failed++;
  if (file.failure === undefined) return;
  if (live !== null && live.version !== "") {
    const { sourceState } = file;
    if (sourceState !== null && !equalJson(sourceState, live.sourceState))
      page.writes.states.push({ id, sourceState });
    return;
  }
  write(page, file, row, id);
  const { kind, message } = file.failure;
  page.writes.failures.push({ id, message, outside: OUTSIDE_KINDS.has(kind) });
}

function write({ writes }: PageComparison, file: ListedFile, row: KnownRow | null, id: FileId) {
  const isKept = row !== null && row.deletedAt === null && row.version === file.version;
  const modifiedAt = file.modifiedAt ?? (isKept ? row.modifiedAt : null);
  writes.writes.push({ ...writeOf(file, id), modifiedAt });
  if (row !== null && row.path !== file.path) writes.moved.push(id);
}

function isSame(file: ListedFile, row: KnownRow): boolean {
  return (
    row.version === file.version &&
    row.path === file.path &&
    row.externalId === file.externalId &&
    row.url === file.url &&
    row.name === file.name &&
    row.mimeType === file.mimeType &&
    row.modifiedAt === (file.modifiedAt ?? row.modifiedAt) &&
    equalJson(row.metadata, file.metadata)
  );
}

const equalJson = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function writeOf(file: ListedFile, id: FileId): Omit<ListedWrite, "modifiedAt"> {
  const { path, externalId, url, name, size, mimeType, version, metadata, sourceState } = file;
  return { id, path, externalId, url, name, size, mimeType, version, metadata, sourceState };
}
