import { reasonOf } from "../../core/errors.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { HOUR_MS, DAY_MS } from "../../core/time.ts";
import {
  dueReplacedContents,
  postponeReplacedContents,
  settleReplacedContents,
} from "../../db/files/replaced-contents.ts";
import type { ReplacedContent } from "../../db/files/replaced-contents.ts";
import type { Services } from "../../services.ts";
import { bytesKey, textKey, fileOfKey, sourcePrefix } from "../../sources/file-objects.ts";
import { takenBy } from "../../sources/registry.ts";
import { readerKey } from "../../sources/reader-store.ts";
import { pageKey } from "../../sources/web/page-store.ts";
import { LATE_WRITES_MS } from "../timeouts.ts";
import {
  dueUploadCheck,
  recordUploadCheck,
  storedVersions,
} from "../../db/maintenance/index-check-store.ts";

/** Their keys, at most two each, are deleted by one call, which takes 1,000. */
const CONTENTS_PER_STEP = 500;
const STEPS_PER_SWEEP = 20;
/** Where so many sources fail, the bucket does: the others wait for the next minute. */
const FAILURES_PER_SWEEP = 10;
/** Sources whose contents are deleted by themselves; an invocation's calls are limited. */
const ALONE_PER_SWEEP = 50;

type Purging = Pick<Services, "db" | "files" | "log" | "now">;

/**
 * Deletes the stored bytes and texts of replaced and deleted files, and once more when no worker
 * can be left that still writes them. Every key names content that the file does not have, so
 * nothing current is deleted, and a step that a crash interrupted is repeated as a whole.
 * Where a call fails, each source's contents are deleted by themselves: a source whose contents
 * cannot be deleted is told of and waits an hour, so that it does not hold up the others.
 */
export async function purgeReplacedContents(services: Purging): Promise<void> {
  let failures = 0;
  let alone = 0;
  for (let step = 0; step < STEPS_PER_SWEEP; step++) {
    const now = services.now();
    const due = await dueReplacedContents(services.db, now, CONTENTS_PER_STEP);
    if (due.length === 0) return;
    try {
      await deleteContents(services, due, now);
    } catch {
      for (const [sourceId, contents] of Map.groupBy(due, ({ sourceId }) => sourceId)) {
        alone += 1;
        if (!(await isDeleted(services, sourceId, contents, now))) failures += 1;
        if (failures >= FAILURES_PER_SWEEP || alone >= ALONE_PER_SWEEP) return;
      }
    }
    if (due.length < CONTENTS_PER_STEP) return;
  }
}

async function deleteContents({ db, files }: Purging, contents: ReplacedContent[], now: number) {
  const keys = (await Promise.all(contents.map(keysOf))).flat();
  if (keys.length > 0) await files.delete(keys);
  const ids = contents.map(({ id }) => id);
  await settleReplacedContents(db, ids, now + LATE_WRITES_MS);
}

async function isDeleted(
  services: Purging,
  sourceId: FileSourceId,
  contents: ReplacedContent[],
  now: number,
): Promise<boolean> {
  try {
    await deleteContents(services, contents, now);
    return true;
  } catch (thrown) {
    const reason = reasonOf(thrown);
    const facts = { sourceId, contents: contents.length, reason };
    services.log.error("replaced contents not deleted", facts);
    const ids = contents.map(({ id }) => id);
    await postponeReplacedContents(services.db, ids, now + HOUR_MS);
    return false;
  }
}

async function keysOf(content: ReplacedContent): Promise<string[]> {
  const { contentId } = content;
  const bytes = await bytesKeysOf(content);
  return contentId === null ? bytes : [...bytes, textKey(content, contentId)];
}

/**
 * A page may return to a version that it had: then its bytes are current. Bytes that are deleted
 * in spite of it are fetched again. A pushed file's are not: a write that the database carried out
 * twice may have made its version current again.
 */
async function bytesKeysOf(content: ReplacedContent): Promise<string[]> {
  const { sourceId, path, version, provider, isCurrent } = content;
  if (isCurrent) return [];
  const taken = takenBy(provider ?? "");
  if (taken === "files") return [bytesKey(content, version)];
  if (taken !== "addresses" || version === "") return [];
  return [readerKey(sourceId, await pageKey(path, version))];
}

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
async function unnamedKeys({ db }: Pick<Services, "db">, sourceId: FileSourceId, keys: string[]) {
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
