import { newId, type FileSourceId, type ScanRunId } from "../../core/ids.ts";
import { HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { noteProblem } from "../../db/scans/listing-store.ts";
import { beginRun, endRun, advance, resumeRun, scanOnceMore } from "../../db/scans/scan-store.ts";
import type { RunEnd, ScanProgress, ScanRun } from "../../db/scans/scan-store.ts";
import { recountPushedFiles } from "../../db/scans/webhook-store.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { SourceReader, SourceFailureKind } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import { pushKind } from "../../sources/registry.ts";
import { retryAfterScan } from "../indexing/retry-files.ts";
import { applyDefaultReaders } from "../readers/record-readers.ts";
import { LEASE_MS, QUEUED_CLAIM_MS, MAX_TRIES, backOffMs } from "../timeouts.ts";
import { removeUnlistedFiles } from "./remove-unlisted-files.ts";
import { forgetNotes } from "./scan-notes.ts";
import { scanPage } from "./scan-page.ts";

type ScanInput = { fileSourceId: FileSourceId; confirmRemovals: boolean; urls: string[] | null };

/** A worker hands over a long listing after this time (ms), because other sources wait for it. */
const SLICE_MS = 20_000;
/** A scan with its own payload is delayed by this time (s) while another scan is under way. */
const BEHIND_ANOTHER_SECONDS = 15;
const BEGIN_TRIES = 3;
/** By then a lagging listing has caught up with its change feed. */
const CONTRADICTED_AGAIN_AFTER_MS = 15 * MINUTE_MS;

/**
 * Lists a source, compares it with the known files, and queues work for changes. One scan per
 * source runs at a time; one requested meanwhile runs after it.
 */
export async function startScan(services: Services, input: ScanInput): Promise<void> {
  for (let attempt = 0; attempt < BEGIN_TRIES; attempt++) {
    const now = services.now();
    const run = await beginRun(services.db, input.fileSourceId, {
      runId: newId<ScanRunId>(now),
      now,
      claimedUntil: now + LEASE_MS,
      progress: firstProgress(input),
    });
    if (run === "unknown") return;
    if (run !== "busy") return await workOn(services, planRun(services, run));
    if (input.confirmRemovals || input.urls !== null) {
      return await services.queue.scan({ kind: "scan", ...input }, BEHIND_ANOTHER_SECONDS);
    }
    if (await scanOnceMore(services.db, input.fileSourceId)) return;
  }
}

/** Resumes a run after its last committed page. */
export async function continueScan(
  services: Services,
  { fileSourceId, runId }: { fileSourceId: FileSourceId; runId: ScanRunId },
): Promise<void> {
  const claimedUntil = services.now() + LEASE_MS;
  const run = await resumeRun(services.db, fileSourceId, runId, claimedUntil);
  if (run !== null) await workOn(services, planRun(services, run));
}

function firstProgress({ confirmRemovals, urls }: ScanInput): ScanProgress {
  return {
    mode: urls === null ? "follow" : "look",
    urls,
    confirmRemovals,
    step: 0,
    cursor: null,
    listed: false,
    partial: false,
    seenFiles: 0,
    attempts: 0,
    changeCursor: null,
    commit: crypto.randomUUID(),
  };
}

/**
 * Changes can be followed only for a source whose change feed has a cursor. From time to time
 * everything is listed after them.
 */
function planRun({ config, now }: Services, run: ScanRun): ScanRun {
  const { mode, step } = run.progress;
  const { changeCursor, listedAt } = run.source;
  if (mode !== "follow" || step > 0) return run;
  if (changeCursor === null || listedAt === FEED_FAILED)
    return { ...run, progress: { ...run.progress, mode: "full" } };
  const verify = now() - (listedAt ?? 0) >= config.FULL_LISTING_HOURS * HOUR_MS;
  return { ...run, progress: { ...run.progress, verify } };
}

async function workOn(services: Services, run: ScanRun): Promise<void> {
  let current = run;
  try {
    const reader = await services.sourceReaders(run.source);
    if (reader !== null) {
      const slice = await listSlice(services, current, reader, (moved) => (current = moved));
      if (slice !== "listed") return;
    }
    await finishRun(services, current, reader);
  } catch (thrown) {
    await fail(services, current, thrown);
  }
}

/** `lost`: another worker has the run. `handed-on`: a message continues it. */
async function listSlice(
  services: Services,
  run: ScanRun,
  reader: SourceReader,
  onMove: (run: ScanRun) => void,
): Promise<"listed" | "lost" | "handed-on"> {
  const until = services.now() + SLICE_MS;
  let current = run;
  while (!current.progress.listed) {
    const moved = await scanPage(services, current, reader);
    if (moved === null) return "lost";
    current = moved;
    onMove(current);
    if (!current.progress.listed && services.now() > until) {
      return await queueNextStep(services, current);
    }
  }
  return "listed";
}

async function queueNextStep(services: Services, run: ScanRun, delayMs = 0) {
  const claimedUntil = services.now() + delayMs + QUEUED_CLAIM_MS;
  const progress = { ...run.progress, commit: crypto.randomUUID() };
  if (!(await advance(services.db, run, progress, claimedUntil))) return "lost";
  const message = { kind: "continue-scan", fileSourceId: run.source.id, runId: run.id } as const;
  await services.queue.scan(message, Math.ceil(delayMs / 1_000));
  return "handed-on";
}

async function finishRun(services: Services, run: ScanRun, reader: SourceReader | null) {
  const { held: hold, contradicted } =
    reader === null ? NOTHING_REMOVED : await removeUnlistedFiles(services, run);
  if (reader === null && run.source.permissions === "on")
    await applyDefaultReaders(services, run.source.id);
  await retryAfterScan(services, run.source.id);
  // Everything listed is committed; a later scan may begin as soon as this one ends.
  if (run.progress.mode !== "look") {
    await reader?.finishListing?.();
    if (pushKind(run.source.provider) === "addresses")
      await recountPushedFiles(services.db, run.source.id);
  }
  await end(services, run, {
    error: hold === null ? null : hold.message,
    heldRemovals: hold === null ? 0 : hold.count,
    ...knowledgeAfter(run, { isHeld: hold !== null, contradicted }),
    nextScanAt: nextScanOf(run, contradicted, services.now()),
    heldSince: heldSinceAfter(run, hold !== null),
  });
}

/** The time of an extra scan, ms; null: the interval's scan is enough. */
function nextScanOf({ progress }: ScanRun, contradicted: boolean, now: number): number | null {
  const { againAt } = progress;
  const retryAt = contradicted ? now + CONTRADICTED_AGAIN_AFTER_MS : Infinity;
  const at = Math.min(retryAt, againAt ?? Infinity);
  return at === Infinity ? null : at;
}

/** A run that looked at only a part keeps the removals that earlier runs held back. */
function heldSinceAfter({ startedAt, source, progress }: ScanRun, isHeld: boolean): number | null {
  if (isHeld) return source.heldSince ?? startedAt;
  const sawAll = progress.mode === "full" && !progress.partial;
  return sawAll || progress.confirmRemovals ? null : source.heldSince;
}

const NOTHING_REMOVED = { held: null, contradicted: false };

/**
 * Null keeps what was known before: unseen files and held removals must be listed again. A
 * listing that contradicts the feed may lag behind it: the next scan lists everything again.
 */
function knowledgeAfter(
  { startedAt, progress }: ScanRun,
  { isHeld, contradicted }: { isHeld: boolean; contradicted: boolean },
) {
  if (progress.partial || isHeld) return { changeCursor: null, listedAt: null };
  const listedAt = progress.mode === "full" && !contradicted ? startedAt : null;
  return { changeCursor: progress.changeCursor, listedAt };
}

async function fail(services: Services, run: ScanRun, thrown: unknown): Promise<void> {
  const verdict = scanFailureVerdict(thrown, run.progress);
  services.log.warn("scan failed", {
    fileSourceId: run.source.id,
    runId: run.id,
    reason: verdict.message,
    kind: thrown instanceof SourceFailure ? thrown.kind : "unexpected",
  });
  if (verdict.again) {
    await noteWait(services, run, verdict);
    const progress = { ...run.progress, attempts: run.progress.attempts + 1 };
    await queueNextStep(services, { ...run, progress }, verdict.delayMs);
    return;
  }
  await end(services, run, {
    error: verdict.message,
    heldRemovals: 0,
    changeCursor: null,
    listedAt: listingTimeAfterFailure(run.progress, thrown),
    nextScanAt: services.now() + verdict.delayMs,
    heldSince: run.source.heldSince,
  });
}

/** Tells on the source's page why a run does not move for a minute and more. */
async function noteWait({ db, now }: Services, run: ScanRun, { message, delayMs }: ScanVerdict) {
  if (delayMs < MINUTE_MS) return;
  const until = new Date(now() + delayMs).toISOString();
  await noteProblem(db, run, { path: "", message: `${message}; the scan waits until ${until}` });
}

/** Stands for the time of the last listing: the next run lists without the feed. */
const FEED_FAILED = -1;

/**
 * A source's cursor may not cover changes since a broken listing saw files last. A feed can fail
 * for ever where its cursor lies: https://github.com/microsoftgraph/microsoft-graph-docs/issues/2531
 */
function listingTimeAfterFailure({ mode }: ScanProgress, thrown: unknown): number | null {
  if (mode === "full") return 0;
  const isOfFeed = !["throttled", "denied"].includes(factsOf(thrown).kind);
  return mode === "follow" && isOfFeed ? FEED_FAILED : null;
}

async function end(services: Services, run: ScanRun, how: RunEnd): Promise<void> {
  const now = services.now();
  const end = await endRun(services.db, run, how, { now, againBy: now + QUEUED_CLAIM_MS });
  if (end === null) return;
  services.runInBackground(forgetNotes(services, run));
  if (!end.scanAgain) return;
  const fileSourceId = run.source.id;
  await services.queue.scan({ kind: "scan", fileSourceId, confirmRemovals: false, urls: null });
}

/**
 * A listing that fails on its first page gives up soon, unless the server asks to wait; one under
 * way gets more attempts.
 */
const TRIES_OF_FIRST_PAGE = 2;
/** After a failed run, the next begins after this time or after the scan interval. */
const NEXT_RUN_AFTER_MS: Record<SourceFailureKind | "unexpected", number> = {
  throttled: 5 * MINUTE_MS,
  down: 5 * MINUTE_MS,
  denied: 30 * MINUTE_MS,
  "bad-file": 60 * MINUTE_MS,
  "our-limit": 60 * MINUTE_MS,
  unexpected: 5 * MINUTE_MS,
};
const MAX_WAIT_IN_RUN_MS = 15 * MINUTE_MS;
/** Rate limits are counted by the hour. */
const MAX_THROTTLED_MS = 65 * MINUTE_MS;
/** Kinds of failure after which the same page may succeed a little later. */
const PASSING = new Set<string>(["throttled", "down", "unexpected"]);

export type ScanVerdict = { again: boolean; message: string; delayMs: number };

/**
 * Decides whether and when the page is retried, else how the run ends. Messages are safe to show.
 */
export function scanFailureVerdict(
  thrown: unknown,
  { step, attempts }: Pick<ScanProgress, "step" | "attempts">,
): ScanVerdict {
  const { kind, message, askedMs } = factsOf(thrown);
  const tries = step === 0 && kind !== "throttled" ? TRIES_OF_FIRST_PAGE : MAX_TRIES;
  const delayMs = Math.max(backOffMs(attempts + 1) ?? 0, askedMs);
  const mayPass = PASSING.has(kind);
  const longestMs = kind === "throttled" ? MAX_THROTTLED_MS : MAX_WAIT_IN_RUN_MS;
  if (mayPass && attempts + 1 < tries && delayMs <= longestMs) {
    return { again: true, message, delayMs };
  }
  const reason = mayPass && attempts > 0 ? `${message} after ${attempts + 1} tries` : message;
  return { again: false, message: reason, delayMs: Math.max(NEXT_RUN_AFTER_MS[kind], askedMs) };
}

function factsOf(thrown: unknown) {
  if (thrown instanceof SourceFailure) {
    const { kind, message, retryAfterMs } = thrown;
    return { kind, message, askedMs: retryAfterMs ?? 0 };
  }
  const message = "the file source could not be scanned";
  return { kind: "unexpected" as const, message, askedMs: 0 };
}
