import { z } from "zod";

import type { FileId } from "../../core/ids.ts";
import type { ScanRun } from "../../db/scans/scan-store.ts";
import type { Services } from "../../services.ts";
import { removeBelow, sourcePrefix } from "../../sources/file-objects.ts";

/**
 * Notes of a run in the bucket, so that the number of rows written does not grow with unchanged
 * files: files that each page listed or reported as deleted.
 */
const notesPrefix = (run: ScanRun) => `${sourcePrefix(run.source.id)}scans/${run.id}/`;
const pageKey = (run: ScanRun, step: number) => `${notesPrefix(run)}page/${step}`;

const PAGES_AT_ONCE = 5;

const fileIds = z.array(z.custom<FileId>((id) => typeof id === "string"));
const pageNotes = z.object({ seen: fileIds, deleted: fileIds });
type PageNotes = z.infer<typeof pageNotes>;

type Bucket = Pick<Services, "files">;

export async function notePage({ files }: Bucket, run: ScanRun, notes: PageNotes): Promise<void> {
  await files.put(pageKey(run, run.progress.step), JSON.stringify(notes));
}

/**
 * Reads the notes of pages of the run, `to` exclusive. If one page lists a file and another reports it as
 * deleted, the later page counts. Takes some 100 bytes of memory per file.
 */
export async function readNotes({ files }: Bucket, run: ScanRun, from: number, to: number) {
  const ids = new Set<FileId>();
  const deleted = new Set<FileId>();
  for (let first = from; first < to; first += PAGES_AT_ONCE) {
    const count = Math.min(PAGES_AT_ONCE, to - first);
    const keys = Array.from({ length: count }, (_, at) => pageKey(run, first + at));
    for (const object of await Promise.all(keys.map((key) => files.get(key)))) {
      if (object === null) throw new Error("a page's notes are missing");
      const notes = pageNotes.parse(await object.json());
      for (const id of notes.deleted) {
        ids.delete(id);
        deleted.add(id);
      }
      for (const id of notes.seen) {
        deleted.delete(id);
        ids.add(id);
      }
    }
  }
  return { seen: ids, deleted };
}

export async function forgetNotes({ files }: Bucket, run: ScanRun): Promise<void> {
  while (!(await removeBelow(files, notesPrefix(run))));
}
