import { z } from "zod";

import type { FileId } from "../../core/ids.ts";
import type { ScanProgress, ScanRun } from "../../db/scans/scan-store.ts";
import type { Services } from "../../services.ts";
import { removeBelow, sourcePrefix } from "../../sources/file-objects.ts";

/**
 * Notes of a run in the bucket, so that the number of rows written does not grow with unchanged
 * files: files that each page listed or reported as deleted, and cursors too long for a row.
 */
const notesPrefix = (run: ScanRun) => `${sourcePrefix(run.source.id)}scans/${run.id}/`;
const pageKey = (run: ScanRun, step: number) => `${notesPrefix(run)}page/${step}`;
const cursorKey = (run: ScanRun, step: number) => `${notesPrefix(run)}cursor/${step}`;

const CURSOR_LIMIT_CHARACTERS = 10_000;
const PAGES_AT_ONCE = 5;

const fileIds = z.array(z.custom<FileId>((id) => typeof id === "string"));
const pageNotes = z.object({ seen: fileIds, deleted: fileIds });
type PageNotes = z.infer<typeof pageNotes>;

type Bucket = Pick<Services, "files">;

export async function notePage({ files }: Bucket, run: ScanRun, notes: PageNotes): Promise<void> {
  await files.put(pageKey(run, run.progress.step), JSON.stringify(notes));
}

/**
 * Reads the notes of all pages of the run. If one page lists a file and another reports it as
 * deleted, the later page counts. Takes some 100 bytes of memory per file.
 */
export async function readNotes({ files }: Bucket, run: ScanRun) {
  const seen = new Set<FileId>();
  const deleted = new Set<FileId>();
  const { step, notesFrom = 0 } = run.progress;
  for (let first = notesFrom; first < step; first += PAGES_AT_ONCE) {
    const count = Math.min(PAGES_AT_ONCE, step - first);
    const keys = Array.from({ length: count }, (_, at) => pageKey(run, first + at));
    for (const object of await Promise.all(keys.map((key) => files.get(key)))) {
      if (object === null) throw new Error("a page's notes are missing");
      const notes = pageNotes.parse(await object.json());
      for (const id of notes.deleted) {
        seen.delete(id);
        deleted.add(id);
      }
      for (const id of notes.seen) {
        deleted.delete(id);
        seen.add(id);
      }
    }
  }
  return { seen, deleted };
}

/** Files whose deletion was the last that the feed reported of them, before the listing began. */
export async function readReported({ files }: Bucket, run: ScanRun): Promise<Set<FileId>> {
  const reported = new Set<FileId>();
  for (let step = 0; step < (run.progress.notesFrom ?? 0); step++) {
    const object = await files.get(pageKey(run, step));
    if (object === null) throw new Error("a page's notes are missing");
    const { deleted, seen } = pageNotes.parse(await object.json());
    for (const id of deleted) reported.add(id);
    for (const id of seen) reported.delete(id);
  }
  return reported;
}

/** How a cursor is stored with the progress: inside it, or in the bucket when it is long. */
export async function storedCursor(
  { files }: Bucket,
  run: ScanRun,
  cursor: string | null,
): Promise<Pick<ScanProgress, "cursor" | "cursorIsStored">> {
  if (cursor === null || cursor.length <= CURSOR_LIMIT_CHARACTERS) {
    return { cursor, cursorIsStored: false };
  }
  const key = cursorKey(run, run.progress.step + 1);
  await files.put(key, cursor);
  return { cursor: key, cursorIsStored: true };
}

export async function readCursor({ files }: Bucket, run: ScanRun): Promise<string | null> {
  const { cursor, cursorIsStored } = run.progress;
  if (cursor === null || !cursorIsStored) return cursor;
  const object = await files.get(cursor);
  if (object === null) throw new Error("the listing's cursor is missing");
  return await object.text();
}

export async function forgetNotes({ files }: Bucket, run: ScanRun): Promise<void> {
  while (!(await removeBelow(files, notesPrefix(run))));
}
