import { inParallel } from "../../core/work/parallel.ts";
import { dueReplacedContents, settleReplacedContents } from "../../db/files/replaced-contents.ts";
import type { ReplacedContent } from "../../db/files/replaced-contents.ts";
import type { Services } from "../../services.ts";
import { bytesKey, textKey } from "../../sources/file-objects.ts";
import { readerStore } from "../../sources/reader-store.ts";
import { forgetPage, forgetVersion } from "../../sources/web/page-store.ts";
import { LATE_WRITES_MS } from "../timeouts.ts";

/** Their keys, at most two each, are deleted by one call, which takes 1,000. */
const CONTENTS_PER_STEP = 500;
const STEPS_PER_SWEEP = 20;
const PAGES_AT_ONCE = 6;

/**
 * Deletes the stored bytes and texts of replaced and deleted files, and once more when no worker
 * can be left that still writes them. Every key names content that no file can have again, so
 * nothing current is deleted, and a step that a crash interrupted is repeated as a whole.
 */
export async function purgeReplacedContents(services: Services): Promise<void> {
  for (let step = 0; step < STEPS_PER_SWEEP; step++) {
    const now = services.now();
    const due = await dueReplacedContents(services.db, now, CONTENTS_PER_STEP);
    if (due.length === 0) return;
    const keys = due.flatMap(keysOf);
    if (keys.length > 0) await services.files.delete(keys);
    const pages = due.filter(({ provider }) => provider === "web");
    await inParallel(pages, PAGES_AT_ONCE, (page) => purgePage(services, page));
    const ids = due.map(({ id }) => id);
    await settleReplacedContents(services.db, ids, now + LATE_WRITES_MS);
    if (due.length < CONTENTS_PER_STEP) return;
  }
}

function keysOf({ sourceId, fileId, version, contentId, provider }: ReplacedContent): string[] {
  const of = { sourceId, fileId };
  const bytes = provider === "file_system" ? [bytesKey(of, version)] : [];
  return contentId === null ? bytes : [...bytes, textKey(of, contentId)];
}

/**
 * A page may return to a version that it had: then its bytes are current. Bytes that are deleted
 * in spite of it are fetched again.
 */
async function purgePage(services: Services, page: ReplacedContent): Promise<void> {
  const { sourceId, path, version, isDeleted, isCurrent } = page;
  const store = readerStore(services.files, sourceId);
  if (isDeleted) await forgetPage(store, path);
  else if (!isCurrent) await forgetVersion(store, path, version);
}
