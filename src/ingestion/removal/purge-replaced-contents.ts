import { reasonOf } from "../../core/errors.ts";
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

type Purging = Pick<Services, "db" | "files" | "log" | "now">;

/**
 * Deletes the stored bytes and texts of replaced and deleted files, and once more when no worker
 * can be left that still writes them. Every key names content that the file does not have, so
 * nothing current is deleted, and a step that a crash interrupted is repeated as a whole.
 * What cannot be deleted is told of and waits an hour, so that it does not hold up the rest.
 */
export async function purgeReplacedContents(services: Purging): Promise<void> {
  const { db, files, log } = services;
  for (let step = 0; step < STEPS_PER_SWEEP; step++) {
    const now = services.now();
    const due = await dueReplacedContents(db, now, CONTENTS_PER_STEP);
    if (due.length === 0) return;
    const ids = due.map(({ id }) => id);
    try {
      const keys = (await Promise.all(due.map(keysOf))).flat();
      if (keys.length > 0) await files.delete(keys);
      await settleReplacedContents(db, ids, now + LATE_WRITES_MS);
    } catch (thrown) {
      const facts = { contents: due.length, reason: reasonOf(thrown) };
      log.error("replaced contents not deleted", facts);
      await postponeReplacedContents(db, ids, now + HOUR_MS);
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
  const taken = takenBy(provider ?? "");
  if (taken === "files") return [bytesKey(content, version)];
  if (taken !== "addresses" || version === "") return [];
  return [readerKey(sourceId, await pageKey(path, version))];
}
