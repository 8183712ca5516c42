import type { FileSource } from "../../catalog/file-sources/find-file-source.ts";
import { isoTime } from "../../core/time.ts";
import type { ScanRunRow } from "../../db/catalog/source-store.ts";

export const shownScan = (scan: ScanRunRow) => ({
  startedAt: isoTime(scan.startedAt),
  finishedAt: scan.finishedAt === null ? null : isoTime(scan.finishedAt),
  added: scan.added,
  changed: scan.changed,
  removed: scan.removed,
  unchanged: scan.unchanged,
  failed: scan.failed,
  problems: scan.problems,
  heldRemovals: scan.heldRemovals,
  mended: scan.verified
    ? { added: scan.mendedAdded, changed: scan.mendedChanged, removed: scan.mendedRemoved }
    : null,
  error: scan.error,
});

/** Counts of pushed addresses: how many the source holds, and how many it refused. */
const shownPushes = ({ pushedFiles, pushesRefused, pushesRefusedAt }: FileSource["source"]) => ({
  files: pushedFiles,
  refused: pushesRefused,
  lastRefusedAt: pushesRefusedAt === null ? null : isoTime(pushesRefusedAt),
});

/** Until when the provider notifies of changes, and why it does not. */
const shownWatch = ({ watchedUntil, watchError }: FileSource["source"]) => ({
  until: watchedUntil === null ? null : isoTime(watchedUntil),
  error: watchError,
});

/** A file source as the panel answers it. Where a secret is set its `config` says `true`. */
export const shownSource = ({ source, lastScan }: FileSource) => ({
  id: source.id,
  name: source.name,
  identifier: source.identifier,
  provider: source.provider,
  config: source.config,
  scanIntervalMinutes: source.scanIntervalMinutes,
  status: source.status,
  lastScan: lastScan === null ? null : shownScan(lastScan),
  ...(source.provider === "web" ? { pushed: shownPushes(source) } : {}),
  ...(source.watchDueAt === null ? {} : { notifications: shownWatch(source) }),
  createdAt: isoTime(source.createdAt),
});
