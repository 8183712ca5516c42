import { env } from "cloudflare:workers";
import { expect } from "vitest";

import type { FileSourceId, RagId } from "../../src/core/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/core/time.ts";
import { tick } from "../../src/ingestion/maintenance/tick.ts";
import {
  receiveNotification,
  type Notification,
} from "../../src/ingestion/webhooks/receive-notification.ts";
import type { Push, PushNetwork } from "../doubles/push-network.ts";
import { CrashPoint } from "./crash.ts";
import type { Dice } from "./dice.ts";
import type { World } from "./ingestion-world.ts";

/** A provider's double, as a simulation drives it. */
export type SimulatedDrive = {
  network: PushNetwork;
  /** Makes one change of any kind. */
  change(dice: Dice): void;
  /** Throttles, expires a token or a cursor, or does nothing. */
  trouble(dice: Dice): void;
  /** What the index should show: path and text by external id. */
  held(): Map<string, { path: string; text: string }>;
  /** The path without what keeps files of one name apart. */
  plainPath(path: string, externalId: string): string;
  /** How many watches would notify now. */
  watches(): number;
  notificationOf(push: Push): Notification;
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
const CHANGES_PER_BURST = 12;
const CRASHES = 0.3;
const LATEST_CRASH = 60;
const LOST = 0.3;
const ROUNDS_OF_RECOVERY = 4;

/** What happened, so that a test can tell that something did. */
export type Tally = { changes: number; crashes: number; pushes: number; lost: number };

/**
 * Lets intervals go by: changes of every kind in bursts, notifications that are lost, doubled and
 * out of order, trouble at the provider, workers that die at any call. After each interval the
 * index equals the drive, and the drive was watched all the time.
 */
export async function simulate(of: Simulation, intervals: number): Promise<Tally> {
  const { world, drive, dice } = of;
  const tally = { changes: 0, crashes: 0, pushes: 0, lost: 0 };
  const debounced = new Set<FileSourceId>();
  world.services.debounceDriveScan = async (id) => void debounced.add(id);
  await tick(world.services);
  for (let interval = 0; interval < intervals; interval++) {
    const intervalMs = dice.pick(INTERVALS_MS);
    for (let burst = 0; burst < 2; burst++) {
      await pass(of, debounced, Math.floor(intervalMs / 2));
      for (let at = 0; at < CHANGES_PER_BURST; at++) drive.change(dice);
      tally.changes += CHANGES_PER_BURST;
      if (dice.chance(0.4)) drive.trouble(dice);
      await deliverPushes(of, tally);
      world.now += DEBOUNCE_MS;
      queueScans(world, debounced);
      await workThroughCrashes(of, tally);
    }
    // A lost notification is made up for when the interval since the last scan is over.
    await pass(of, debounced, (await nextDue(of)).scanAt - world.now + MINUTE_MS);
    for (let round = 0; round < ROUNDS_OF_RECOVERY && !(await isWell(of)); round++) {
      world.now += 30 * MINUTE_MS;
      await workOff(world, debounced);
    }
    await expectSame(of);
  }
  return tally;
}

/** Time goes by, and the clock does what is due; the drive is watched at every moment of it. */
async function pass(of: Simulation, debounced: Set<FileSourceId>, ms: number): Promise<void> {
  const { world, drive } = of;
  const end = world.now + ms;
  while (world.now < end) {
    const { scanAt, watchAt } = await nextDue(of);
    world.now = Math.min(end, Math.max(world.now + MINUTE_MS, Math.min(scanAt, watchAt)));
    expect(drive.watches()).toBeGreaterThan(0);
    await workOff(world, debounced);
  }
}

/** What the clock and the queues do within a few minutes. */
async function workOff(world: World, debounced: Set<FileSourceId>): Promise<void> {
  await tick(world.services);
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

async function deliverPushes({ world, drive, dice }: Simulation, tally: Tally): Promise<void> {
  drive.network.receive = async (push) => {
    tally.pushes++;
    await receiveNotification(world.services, drive.notificationOf(push));
    return 200;
  };
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
  await tick(world.services).catch(() => undefined);
  await world.deliver().catch(() => undefined);
  if (crash.hasCrashed) tally.crashes++;
  world.services = untouched;
  crash.revive();
}

async function nextDue({ source }: Simulation) {
  const due = await env.DB.prepare(
    "select next_scan_at as scanAt, watch_due_at as watchAt from file_sources where id = ?",
  )
    .bind(source)
    .first<{ scanAt: number | null; watchAt: number | null }>();
  return { scanAt: due?.scanAt ?? 0, watchAt: due?.watchAt ?? 0 };
}

async function isWell({ source }: Simulation): Promise<boolean> {
  const row = await env.DB.prepare(
    `select status = 'active' and scan_run_id is null and watched_until is not null
         and not exists (select 1 from files f join rag_files rf on rf.file_id = f.id
           where f.file_source_id = ?1 and rf.status in ('pending', 'processing')) as well
     from file_sources where id = ?1`,
  )
    .bind(source)
    .first<{ well: number }>();
  return row?.well === 1;
}

async function expectSame({ world, source, rag, drive }: Simulation): Promise<void> {
  const { results } = await env.DB.prepare(
    `select external_id as id, path from files where file_source_id = ?1 and deleted_at is null`,
  )
    .bind(source)
    .all<{ id: string; path: string }>();
  const expected = drive.held();
  const plain = results.map(({ id, path }) => [id, drive.plainPath(path, id)]);
  const wanted = [...expected].map(([id, { path }]) => [id, path]);
  expect(plain.sort(byId)).toEqual(wanted.sort(byId));
  const texts = results.map(({ id, path }) => [path, [expected.get(id)?.text]]);
  expect(await world.shown(rag, "note")).toEqual(Object.fromEntries(texts));
}

const byId = ([a = ""]: (string | undefined)[], [b = ""]: (string | undefined)[]) =>
  a < b ? -1 : 1;
