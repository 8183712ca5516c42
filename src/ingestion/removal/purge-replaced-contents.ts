import type { FileSourceId } from "../../core/ids.ts";
import { attempt } from "../../core/log.ts";
import { HOUR_MS, DAY_MS } from "../../core/time.ts";
import {
  dueReplacedContents,
  postponeReplacedContents,
  settleReplacedContents,
  type ReplacedContent,
} from "../../db/files/removal-store.ts";
import { dueUploadCheck, recordUploadCheck } from "../../db/maintenance/index-check-store.ts";
import { readStoredVersions } from "../../db/maintenance/index-check-store.ts";
import type { Services } from "../../services.ts";
import { bytesKey, textKey, fileOfKey, sourcePrefix } from "../../sources/file-objects.ts";
import { pageKey } from "../../sources/page-store.ts";
import { readerKey } from "../../sources/reader-store.ts";
import { pushKind } from "../../sources/registry.ts";
import { LATE_WRITES_MS } from "../timeouts.ts";

/** Their keys, at most two each, are deleted by one call, which takes 1,000. */
const CONTENTS_PER_STEP = 500;
const STEPS_PER_SWEEP = 20;
/** Each source is a call of its own; an invocation's calls are limited. */
const CALLS_PER_SWEEP = 50;

type PurgeServices = Pick<Services, "db" | "files" | "log" | "now">;

/**
 * Deletes the stored bytes and texts of replaced and deleted files, and once more when no worker
 * can be left that still writes them. Every key names content that the file does not have, so
 * nothing current is deleted, and a step that a crash interrupted is repeated as a whole.
 * A source whose contents cannot be deleted is logged and waits an hour, so that it does not hold
 * up the others.
 */
export async function purgeReplacedContents(services: PurgeServices): Promise<void> {
  const { db, log } = services;
  for (let step = 0, calls = 0; step < STEPS_PER_SWEEP; step++) {
    const now = services.now();
    const due = await dueReplacedContents(db, now, CONTENTS_PER_STEP);
    for (const [sourceId, contents] of Map.groupBy(due, (content) => content.sourceId)) {
      if (++calls > CALLS_PER_SWEEP) return;
      const ids = contents.map(({ id }) => id);
      const facts = { sourceId, contents: ids.length };
      const isDone = await attempt(log, "replaced contents not deleted", facts, async () => {
        const keys = (await Promise.all(contents.map(keysOf))).flat();
        if (keys.length > 0) await services.files.delete(keys);
        await settleReplacedContents(db, ids, now + LATE_WRITES_MS);
      });
      if (!isDone) await postponeReplacedContents(db, ids, now + HOUR_MS);
    }
    if (due.length < CONTENTS_PER_STEP) return;
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
  if (sourceId === "") return [path];
  const holder = pushKind(provider ?? "");
  if (holder === "files") return [bytesKey(content, version)];
  if (holder !== "addresses" || version === "") return [];
  return [readerKey(sourceId, await pageKey(path, version))];
}

/** Keys that one call lists and one call deletes. */
const KEYS_PER_PAGE = 1_000;
/** Pages for all sources together: each is a call or two of the bucket and two of D1. */
const PAGES_PER_SWEEP = 10;

/**
 * Deletes what an upload stored whose worker died before the file's row named it: nothing else
 * knows of these bytes. At most once a day all keys of a source to which files are pushed are
 * compared with its files, a page at a time; a page that a crash interrupted is compared again. A
 * source whose page fails is logged, and the others go before it.
 */
export async function purgeInterruptedUploads(services: PurgeServices): Promise<void> {
  for (let page = 0; page < PAGES_PER_SWEEP; page++) {
    const now = services.now();
    const due = await dueUploadCheck(services.db, now);
    if (due === null) return;
    const { sourceId, after } = due;
    const isDone = await attempt(
      services.log,
      "interrupted uploads not checked",
      { sourceId },
      () => checkPage(services, due, now),
    );
    if (!isDone) await recordUploadCheck(services.db, sourceId, { after, dueAt: now + HOUR_MS });
  }
}

async function checkPage(
  services: PurgeServices,
  { sourceId, after }: { sourceId: FileSourceId; after: string },
  now: number,
): Promise<void> {
  const objects = await services.files.list({
    prefix: sourcePrefix(sourceId),
    limit: KEYS_PER_PAGE,
    ...(after === "" ? {} : { startAfter: after }),
  });
  // An upload under way may be about to write the row: a slow one, or that of a laptop that slept
  // for some hours.
  const old = objects.objects.filter(({ uploaded }) => uploaded.getTime() < now - DAY_MS);
  const keys = old.map(({ key }) => key);
  const unnamed = await unusedKeys(services, sourceId, keys);
  if (unnamed.length > 0) {
    services.log.info("interrupted uploads deleted", { sourceId, objects: unnamed.length });
    await services.files.delete(unnamed);
  }
  const last = objects.truncated ? objects.objects.at(-1)?.key : undefined;
  const isDone = last === undefined;
  const next = isDone ? { after: "", dueAt: now + DAY_MS } : { after: last, dueAt: now };
  await recordUploadCheck(services.db, sourceId, next);
}

/** A key is never used twice, so that what no row names now none will name. */
async function unusedKeys({ db }: Pick<Services, "db">, sourceId: FileSourceId, keys: string[]) {
  const ofFiles = keys.flatMap((key) => {
    const fileId = fileOfKey(sourceId, key);
    return fileId === null ? [] : [{ key, fileId }];
  });
  if (ofFiles.length === 0) return [];
  const rows = await readStoredVersions(db, [...new Set(ofFiles.map(({ fileId }) => fileId))]);
  const current = new Set(
    rows.flatMap(({ id: fileId, version, contentId }) => [
      bytesKey({ sourceId, fileId }, version),
      textKey({ sourceId, fileId }, contentId),
    ]),
  );
  return ofFiles.map(({ key }) => key).filter((key) => !current.has(key));
}
