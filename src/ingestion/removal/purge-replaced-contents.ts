import { reasonOf } from "../../core/errors.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { HOUR_MS } from "../../core/time.ts";
import {
  dueReplacedContents,
  postponeReplacedContents,
  settleReplacedContents,
} from "../../db/files/replaced-contents.ts";
import type { ReplacedContent } from "../../db/files/replaced-contents.ts";
import type { Services } from "../../services.ts";
import { bytesKey, textKey } from "../../sources/file-objects.ts";
import { takenBy } from "../../sources/registry.ts";
import { readerKey } from "../../sources/reader-store.ts";
import { pageKey } from "../../sources/web/page-store.ts";
import { LATE_WRITES_MS } from "../timeouts.ts";

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

async function deleteContents(
  { db, files }: Purging,
  contents: ReplacedContent[],
  now: number,
): Promise<void> {
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
