import { reasonOf } from "../../core/errors.ts";
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type { FileSourceId } from "../../core/ids.ts";
import {
  dueUploadCheck,
  recordUploadCheck,
  storedVersions,
} from "../../db/maintenance/upload-check-store.ts";
import type { Services } from "../../services.ts";
import { bytesKey, fileOfKey, sourcePrefix, textKey } from "../../sources/file-objects.ts";

/** What one call lists and one call deletes. */
const KEYS_PER_PAGE = 1_000;
/** Of all sources together: each is a call or two of the bucket and two of D1. */
const PAGES_PER_SWEEP = 10;

/**
 * Deletes what an upload stored whose worker died before the file's row named it: nothing else
 * knows of these bytes. At most once a day all keys of a source to which files are pushed are
 * compared with its files, a page at a time; a page that a crash interrupted is compared again. A
 * source whose page fails is told of, and the others go before it.
 */
export async function purgeInterruptedUploads(
  services: Pick<Services, "db" | "files" | "log" | "now">,
): Promise<void> {
  for (let page = 0; page < PAGES_PER_SWEEP; page++) {
    const now = services.now();
    const due = await dueUploadCheck(services.db, now);
    if (due === null) return;
    const { sourceId, after } = due;
    try {
      await checkPage(services, due, now);
    } catch (thrown) {
      services.log.error("interrupted uploads not checked", { sourceId, reason: reasonOf(thrown) });
      await recordUploadCheck(services.db, sourceId, { after, dueAt: now + HOUR_MS });
    }
  }
}

async function checkPage(
  services: Pick<Services, "db" | "files" | "log">,
  { sourceId, after }: { sourceId: FileSourceId; after: string },
  now: number,
): Promise<void> {
  const listed = await services.files.list({
    prefix: sourcePrefix(sourceId),
    limit: KEYS_PER_PAGE,
    ...(after === "" ? {} : { startAfter: after }),
  });
  // An upload under way may be about to write the row: a slow one, or that of a laptop that slept
  // for some hours.
  const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < now - DAY_MS);
  const unnamed = await unnamedKeys(
    services,
    sourceId,
    old.map(({ key }) => key),
  );
  if (unnamed.length > 0) {
    services.log.info("interrupted uploads deleted", { sourceId, objects: unnamed.length });
    await services.files.delete(unnamed);
  }
  const last = listed.truncated ? listed.objects.at(-1)?.key : undefined;
  const isDone = last === undefined;
  const next = isDone ? { after: "", dueAt: now + DAY_MS } : { after: last, dueAt: now };
  await recordUploadCheck(services.db, sourceId, next);
}

/** A key is never used twice, so that what no row names now none will name. */
async function unnamedKeys(
  { db }: Pick<Services, "db">,
  sourceId: FileSourceId,
  keys: string[],
): Promise<string[]> {
  const ofFiles = keys.flatMap((key) => {
    const fileId = fileOfKey(sourceId, key);
    return fileId === null ? [] : [{ key, fileId }];
  });
  if (ofFiles.length === 0) return [];
  const rows = await storedVersions(db, [...new Set(ofFiles.map(({ fileId }) => fileId))]);
  const named = new Set(
    rows.flatMap(({ id: fileId, version, contentId }) => [
      bytesKey({ sourceId, fileId }, version),
      textKey({ sourceId, fileId }, contentId),
    ]),
  );
  return ofFiles.map(({ key }) => key).filter((key) => !named.has(key));
}
