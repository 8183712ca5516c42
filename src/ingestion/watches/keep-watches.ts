import { randomBase62 } from "../../access/credential-format.ts";
import type { Config } from "../../config.ts";
import { sha256Hex } from "../../core/hash.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import {
  activateWatch,
  deleteWatch,
  insertWatch,
  noteWatchState,
  takeDueWatches,
  updateWatch,
  watchesOf,
} from "../../db/scans/watch-store.ts";
import type { StoredWatch, WatchedSource, WatchState } from "../../db/scans/watch-store.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { SourceWatcher, Watch } from "../../ports/source-watcher.ts";
import type { Services } from "../../services.ts";
import { guardUrl } from "../../sources/guarded-url.ts";
import { SWEPT_CLAIM_MS } from "../timeouts.ts";
import { canBeStopped, stopWatches } from "./stop-watches.ts";

/** Each costs some calls to its provider, and the clock has other work. */
const SOURCES_PER_TURN = 5;
const MAX_TARGETS = 50;
const TURN_TIMEOUT_MS = 45 * SECOND_MS;
const TOKEN_LENGTH = 43;
/** A watch is renewed when this share of its life is over; retries fit into the rest. */
const RENEWED_AT = 0.75;
/** Both watches notify for this time, so that no change falls between them. */
const OVERLAP_MS = 5 * MINUTE_MS;
/** A lost start may have reached the provider, whose longest watch this is. */
const MAX_WATCH_MS = 31 * DAY_MS;
const RETRY_AFTER_MS = [1, 5, 15].map((minutes) => minutes * MINUTE_MS);
const LAST_RETRY_AFTER_MS = HOUR_MS;
const STOP_AGAIN_AFTER_MS = 15 * MINUTE_MS;

/** Starts, renews and stops the watches of sources whose watches are due. */
export async function keepWatches(services: Services): Promise<void> {
  const baseUrl = pushAddress(services.config);
  if (baseUrl === null) return;
  const now = services.now();
  const dueAgainAt = now + SWEPT_CLAIM_MS;
  const due = await takeDueWatches(services.db, { now, dueAgainAt, limit: SOURCES_PER_TURN });
  await mapParallel(due, SOURCES_PER_TURN, async (source) => {
    const state = await stateAfterTurn(services, source, baseUrl);
    await noteWatchState(services.db, source.id, dueAgainAt, state);
  });
}

async function stateAfterTurn(services: Services, source: WatchedSource, baseUrl: string) {
  const subject: SourceToWatch = { source, baseUrl, targets: null };
  const signal = AbortSignal.timeout(TURN_TIMEOUT_MS);
  let count = 0;
  try {
    const watcher = (await services.sourceReaders(source))?.watcher;
    if (watcher === undefined) return NONE;
    const all = await watcher.targets(signal);
    count = all.length;
    // In the same order each time, so that it is always the same ones that are watched.
    const targets = [...all].sort().slice(0, MAX_TARGETS);
    subject.targets = targets;
    const failure = await renewWatches(services, { source, watcher, targets, baseUrl, signal });
    await stopWatches(services, { source, watcher, targets, signal });
    if (failure !== null) throw failure.thrown;
  } catch (thrown) {
    return await stateAfterFailure(services, subject, thrown);
  }
  const isCut = count > MAX_TARGETS;
  const watchError = isCut ? `only ${MAX_TARGETS} of ${count} libraries are watched` : null;
  return { ...(await readWatchState(services, subject)), watchAttempts: 0, watchError };
}

type SourceToWatch = {
  source: WatchedSource;
  /** Where the watches are to notify. */
  baseUrl: string;
  /** Targets to watch; null: the provider has not said. */
  targets: string[] | null;
};

const NONE: WatchState = {
  watchDueAt: null,
  watchedUntil: null,
  watchAttempts: 0,
  watchError: null,
};

async function stateAfterFailure(services: Services, watched: SourceToWatch, thrown: unknown) {
  const { source } = watched;
  const isTold = thrown instanceof SourceFailure;
  const watchError = isTold ? thrown.message : "the watch of changes could not be renewed";
  const attempts = source.watchAttempts + 1;
  services.log.warn("watch failed", { fileSourceId: source.id, attempts, reason: watchError });
  const delayMs = isTold ? (thrown.retryAfterMs ?? 0) : 0;
  const wait = Math.max(RETRY_AFTER_MS[attempts - 1] ?? LAST_RETRY_AFTER_MS, delayMs);
  const { watchedUntil } = await readWatchState(services, watched);
  const watchDueAt = services.now() + wait;
  return { watchDueAt, watchedUntil, watchAttempts: attempts, watchError };
}

/** When the watches are due next, and until when all targets are watched. */
async function readWatchState(
  { db, now }: Services,
  { source, targets: storedTargets, baseUrl }: SourceToWatch,
) {
  const watches = await watchesOf(db, source.id);
  const targets = storedTargets ?? [...new Set(watches.map(({ target }) => target))];
  const currentWatches = targets.map((target) => currentWatch(watches, { target, baseUrl }, now()));
  const expiries = currentWatches.map((watch) => watch?.expiresAt ?? 0);
  const times = [
    ...currentWatches.map((watch) => (watch === null ? now() + MINUTE_MS : renewalOf(watch))),
    ...watches.filter(canBeStopped).flatMap(({ endsAt }) => stopOf(endsAt, now())),
  ];
  const until = expiries.length === 0 ? 0 : Math.min(...expiries);
  return {
    watchDueAt: Math.max(Math.min(...times, now() + DAY_MS), now() + MINUTE_MS),
    watchedUntil: until === 0 ? null : until,
  };
}

/** The target's newest watch that notifies this service now and is to be kept. */
const currentWatch = (
  watches: StoredWatch[],
  { target, baseUrl }: Pick<StoredWatch, "target" | "baseUrl">,
  now: number,
): StoredWatch | null =>
  watches.find(
    (watch) =>
      watch.target === target &&
      watch.baseUrl === baseUrl &&
      watch.live &&
      watch.endsAt === null &&
      watch.expiresAt > now,
  ) ?? null;

const renewalOf = ({ startedAt, expiresAt }: StoredWatch) =>
  startedAt + (expiresAt - startedAt) * RENEWED_AT;

/** A watch that could not be stopped is tried again. */
function stopOf(endsAt: number | null, now: number): number[] {
  if (endsAt === null) return [];
  return [endsAt > now ? endsAt : now + STOP_AGAIN_AFTER_MS];
}

type Turn = {
  source: WatchedSource;
  watcher: SourceWatcher;
  targets: string[];
  baseUrl: string;
  signal: AbortSignal;
};

/** The error of the first target that failed; the others are still renewed. */
type FirstFailure = { thrown: unknown } | null;

async function renewWatches(services: Services, turn: Turn): Promise<FirstFailure> {
  const watches = await watchesOf(services.db, turn.source.id);
  let failure: FirstFailure = null;
  for (const target of turn.targets) {
    try {
      await renewWatch(services, { turn, target, watches });
    } catch (thrown) {
      failure ??= { thrown };
      const isThrottled = thrown instanceof SourceFailure && thrown.kind === "throttled";
      if (isThrottled || turn.signal.aborted) break;
    }
  }
  return failure;
}

async function renewWatch(
  services: Services,
  watch: { turn: Turn; target: string; watches: StoredWatch[] },
): Promise<void> {
  const { turn, target, watches } = watch;
  const { baseUrl, watcher } = turn;
  const now = services.now();
  const current = currentWatch(watches, { target, baseUrl }, now);
  if (current !== null && renewalOf(current) > now) return;
  if (current !== null && (await isExtended(services, turn, current))) return;
  // A watch that the provider no longer knows may have missed changes.
  await startWatch(services, turn, target, current !== null && watcher.extend === undefined);
}

/** False where the provider cannot extend a watch, or no longer knows this one. */
async function isExtended({ db, now }: Services, { watcher, signal }: Turn, watch: StoredWatch) {
  const extended = (await watcher.extend?.(watch, signal)) ?? null;
  if (extended === null) return false;
  await updateWatch(db, watch.id, { startedAt: now(), expiresAt: extended.expiresAt });
  return true;
}

/**
 * The watch counts from the moment that everything is done: a crash in between leads to another,
 * and the lost one is stopped once a notification names it, or expires.
 */
async function startWatch(
  services: Services,
  { source, watcher, baseUrl, signal }: Turn,
  target: string,
  isWatched: boolean,
): Promise<void> {
  const { db, now } = services;
  const id = crypto.randomUUID();
  const token = randomBase62(TOKEN_LENGTH);
  const startedAt = now();
  const expiresAt = startedAt + MAX_WATCH_MS;
  const tokenHash = await sha256Hex(token);
  const sourceId = source.id;
  await insertWatch(db, { id, sourceId, target, tokenHash, baseUrl, startedAt, expiresAt });
  const started = await startOrDelete(services, id, async () => {
    return await watcher.start(target, { id, token, baseUrl }, signal);
  });
  // A scan finds changes from before the watch.
  if (!isWatched) await services.debounceDriveScan(source.id);
  await activateWatch(db, id, started, now() + OVERLAP_MS);
}

/** A refused start has left nothing at the provider; one without an answer may have. */
async function startOrDelete({ db, now }: Services, id: string, start: () => Promise<Watch>) {
  try {
    return await start();
  } catch (thrown) {
    const isRefused = thrown instanceof SourceFailure && thrown.kind !== "down";
    await (isRefused ? deleteWatch(db, id) : updateWatch(db, id, { endsAt: now() }));
    throw thrown;
  }
}

/**
 * The address at which a provider can reach this service; null for a local one, or one without
 * HTTPS, which no provider notifies.
 */
function pushAddress(
  config: Pick<Config, "PUBLIC_BASE_URL" | "ALLOW_PRIVATE_URLS">,
): string | null {
  const { PUBLIC_BASE_URL: address, ALLOW_PRIVATE_URLS: isTest } = config;
  if (address === undefined) return null;
  if (isTest) return address;
  return address.startsWith("https://") && guardUrl(address).ok ? address : null;
}
