import { OpenAPIHono } from "@hono/zod-openapi";
import { expect, vi } from "vitest";

import type { FileSourceId, RagId } from "../../src/core/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/core/time.ts";
import type { AppEnv } from "../../src/http/app-env.ts";
import { webhookRoutes } from "../../src/http/routes/webhooks.ts";
import { runScheduledWork } from "../../src/ingestion/maintenance/sweep.ts";
import type { Push, PushNetwork } from "../doubles/push-network.ts";
import { CrashPoint } from "./crash.ts";
import type { Dice } from "./dice.ts";
import { rowsOf, type World } from "./ingestion-world.ts";

/** A provider's double, as a simulation drives it. */
export type SimulatedDrive = {
  network: PushNetwork;
  /** Makes one change of any kind. */
  change(dice: Dice): void;
  /** Moves or renames a folder with many files beneath it. */
  moveLargeFolder(dice: Dice): void;
  /** Throttles, expires a token or a cursor, or does nothing. */
  trouble(dice: Dice): void;
  /** The expected index: path and text by external id. */
  expectedFiles(): Map<string, { path: string; text: string }>;
  /** The path without what keeps files of one name apart. */
  plainPath(path: string, externalId: string): string;
  /** Whether every change of now would be notified of. */
  isWatched(): boolean;
  /** The provider calls this address before it grants a watch. */
  reachWith?(call: (address: string) => Promise<Response>): void;
};

export type Simulation = {
  world: World;
  source: FileSourceId;
  rag: RagId;
  drive: SimulatedDrive;
  dice: Dice;
};

const INTERVALS_MS: [number, ...number[]] = [6 * HOUR_MS, DAY_MS, 4 * DAY_MS];
const DEBOUNCE_MS = 10 * SECOND_MS;
/** Most intervals have the change feed alone: a daily listing would make up for what it lost. */
const NO_DAILY_LISTING_HOURS = 8_760;
const DAILY_LISTING_EVERY = 3;
const LARGE_FOLDER_EVERY = 4;
/** From so many intervals on, about a month, everything has the size of a large drive. */
const FULL_SCALE_FROM = 20;
/** Bound of the chunks of all files together. */
const MAX_SHOWN = 20_000;
const CRASHES = 0.3;
const LATEST_CRASH = 60;
const LOST = 0.3;
const ROUNDS_OF_RECOVERY = 4;

/** Counts of events, so that a test can tell that some happened. */
export type Tally = {
  changes: number;
  crashes: number;
  pushes: number;
  lost: number;
  /** Moves and new names of the large folder. */
  largeMoves: number;
  /** Intervals at whose end the index equalled the drive by its change feed alone. */
  byFeed: number;
  /** Scans that listed everything after the feed. */
  daily: number;
};

/** How large a simulation of so many intervals is. */
export const scaleOf = (intervals: number) =>
  intervals >= FULL_SCALE_FROM
    ? { largeFolder: 5_000, changesPerBurst: 100, pageSize: 500, timeoutMs: 3 * HOUR_MS }
    : { largeFolder: 25, changesPerBurst: 12, pageSize: 20, timeoutMs: 20 * MINUTE_MS };

/**
 * Time limits that never end. The platform lets one event set 10,000 timers, and a simulation is
 * one; its time is that of the moved clock.
 */
export function withoutTimeLimits(): void {
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
}

/**
 * Lets intervals go by: changes of every kind in bursts, notifications that are lost, doubled and
 * out of order, trouble at the provider, workers that die at any call. After each interval the
 * index equals the drive, and the drive was watched all the time.
 */
export async function simulate(simulation: Simulation, intervals: number): Promise<Tally> {
  const { world, drive, dice } = simulation;
  const { changesPerBurst } = scaleOf(intervals);
  const tally = { changes: 0, crashes: 0, pushes: 0, lost: 0, largeMoves: 0, byFeed: 0, daily: 0 };
  const debounced = new Set<FileSourceId>();
  world.services.debounceDriveScan = async (id) => void debounced.add(id);
  connect(simulation, tally);
  await runScheduledWork(world.services);
  for (let interval = 0; interval < intervals; interval++) {
    const intervalMs = dice.pick(INTERVALS_MS);
    const isDaily = interval % DAILY_LISTING_EVERY === DAILY_LISTING_EVERY - 1;
    const FULL_LISTING_HOURS = isDaily ? 24 : NO_DAILY_LISTING_HOURS;
    world.services.config = { ...world.services.config, FULL_LISTING_HOURS };
    const startedAt = world.now;
    for (let burst = 0; burst < 2; burst++) {
      await pass(simulation, debounced, Math.floor(intervalMs / 2));
      for (let at = 0; at < changesPerBurst; at++) drive.change(dice);
      tally.changes += changesPerBurst;
      if (interval % LARGE_FOLDER_EVERY === 1 && burst === 0) {
        drive.moveLargeFolder(dice);
        tally.largeMoves++;
      }
      if (dice.chance(0.4)) drive.trouble(dice);
      await deliverPushes(simulation, tally);
      world.now += DEBOUNCE_MS;
      queueScans(world, debounced);
      await workThroughCrashes(simulation, tally);
    }
    // A lost notification is made up for when the interval since the last scan is over.
    await pass(simulation, debounced, (await nextDue(simulation)).scanAt - world.now + MINUTE_MS);
    for (let round = 0; round < ROUNDS_OF_RECOVERY && !(await isWell(simulation)); round++) {
      world.now += 30 * MINUTE_MS;
      await workOff(world, debounced);
    }
    await expectSame(simulation);
    const listings = await dailyListings(simulation, startedAt);
    if (isDaily) tally.daily += listings;
    else expect(listings).toBe(0);
    if (!isDaily) tally.byFeed++;
  }
  expect(drive.network.answered.filter((status) => status >= 300)).toEqual([]);
  return tally;
}

/** Time goes by, and the clock does what is due; the drive is watched at every moment of it. */
async function pass(
  simulation: Simulation,
  debounced: Set<FileSourceId>,
  ms: number,
): Promise<void> {
  const { world, drive } = simulation;
  const end = world.now + ms;
  while (world.now < end) {
    const { scanAt, watchAt } = await nextDue(simulation);
    world.now = Math.min(end, Math.max(world.now + MINUTE_MS, Math.min(scanAt, watchAt)));
    expect(drive.isWatched()).toBe(true);
    await workOff(world, debounced);
  }
}

/** Runs the clock and the queues of a few minutes. */
async function workOff(world: World, debounced: Set<FileSourceId>): Promise<void> {
  await runScheduledWork(world.services);
  await world.deliver();
  queueScans(world, debounced);
  await world.deliver();
}

function queueScans(world: World, debounced: Set<FileSourceId>): void {
  for (const fileSourceId of debounced) {
    const body = { kind: "scan", fileSourceId, confirmRemovals: false, urls: null } as const;
    world.waiting.push({ queue: "quarry-scan", body });
  }
  debounced.clear();
}

/** Notifications and calls of the provider arrive at the service's own routes. */
function connect({ world, drive }: Simulation, tally: Tally): void {
  const app = new OpenAPIHono<AppEnv>();
  app.use(async (context, next) => {
    context.set("services", world.services);
    await next();
  });
  app.route("/", webhookRoutes);
  const call = async (address: string, push: Partial<Push> = {}) => {
    const { pathname, search } = new URL(address);
    return await app.request(`${pathname}${search}`, { method: "POST", ...push });
  };
  drive.reachWith?.(call);
  drive.network.receive = async ({ address, ...push }) => {
    tally.pushes++;
    return (await call(address, push)).status;
  };
}

async function deliverPushes({ drive, dice }: Simulation, tally: Tally): Promise<void> {
  // A burst is one scan: what matters is whether none, one or all of its messages arrive.
  const isLost = dice.chance(LOST);
  if (isLost) tally.lost += drive.network.waiting.length;
  await drive.network.deliver({
    copies: () => (isLost ? 0 : dice.pick([0, 1, 1, 2])),
    arrange: (pushes) => dice.shuffle(pushes),
  });
}

/** The queues' work, now and then by a worker that dies at some call to the outside. */
async function workThroughCrashes({ world, dice }: Simulation, tally: Tally): Promise<void> {
  if (!dice.chance(CRASHES)) return await world.deliver();
  const untouched = world.services;
  const crash = new CrashPoint(1 + dice.roll(LATEST_CRASH), dice.pick(["before", "after"]));
  world.services = crash.wrap(untouched);
  // The clock's work is interrupted as well.
  await runScheduledWork(world.services).catch(() => undefined);
  await world.deliver().catch(() => undefined);
  if (crash.hasCrashed) tally.crashes++;
  world.services = untouched;
  crash.revive();
}

async function nextDue({ source }: Simulation) {
  const [due] = await rowsOf<{ scanAt: number; watchAt: number }>(
    `select coalesce(next_scan_at, 0) as scanAt, coalesce(watch_due_at, 0) as watchAt
     from file_sources where id = ?`,
    source,
  );
  return due ?? { scanAt: 0, watchAt: 0 };
}

/** Scans since then that listed everything after the change feed. */
async function dailyListings({ source }: Simulation, since: number): Promise<number> {
  const verified = "file_source_id = ? and verified and started_at > ?";
  return (await rowsOf(`select 1 from scan_runs where ${verified}`, source, since)).length;
}

async function isWell({ source }: Simulation): Promise<boolean> {
  const [row] = await rowsOf<{ well: number }>(
    `select status = 'active' and scan_run_id is null and watched_until is not null
         and not exists (select 1 from files f join rag_files rf on rf.file_id = f.id
           where f.file_source_id = ?1 and rf.status in ('pending', 'processing')) as well
     from file_sources where id = ?1`,
    source,
  );
  return row?.well === 1;
}

async function expectSame({ world, source, rag, drive }: Simulation): Promise<void> {
  const files = await rowsOf<{ id: string; path: string }>(
    "select external_id as id, path from files where file_source_id = ? and deleted_at is null",
    source,
  );
  const expected = drive.expectedFiles();
  const plain = files.map(({ id, path }) => [id, drive.plainPath(path, id)]);
  const expectedPaths = [...expected].map(([id, { path }]) => [id, path]);
  expect(plain.sort(byId)).toEqual(expectedPaths.sort(byId));
  const texts = files.map(({ id, path }) => [path, [expected.get(id)?.text]]);
  expect(await world.texts(rag, "note", MAX_SHOWN)).toEqual(Object.fromEntries(texts));
}

const byId = ([a = ""]: (string | undefined)[], [b = ""]: (string | undefined)[]) =>
  a < b ? -1 : 1;
