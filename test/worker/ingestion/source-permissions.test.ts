import { expect, test } from "vitest";

import { countedFor, readAs } from "../../../src/access/readers.ts";
import { findFileSource } from "../../../src/catalog/file-sources/find-file-source.ts";
import { requestScan } from "../../../src/catalog/file-sources/request-scan.ts";
import { updateFileSource } from "../../../src/catalog/file-sources/update-file-source.ts";
import { findRag } from "../../../src/catalog/rags/find-rag.ts";
import { principalsOf } from "../../../src/core/principals.ts";
import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { findFileReaders } from "../../../src/db/files/reader-store.ts";
import { putFile } from "../../../src/ingestion/uploads/put-file.ts";
import { setReaders } from "../../../src/ingestion/uploads/set-readers.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { FollowedSource } from "../../doubles/source/followed-source.ts";
import { CrashPoint } from "../../support/crash.ts";
import { Dice } from "../../support/dice.ts";
import { World, bytesOf } from "../../support/ingestion-world.ts";
import { requestOf } from "../../support/retrieval-requests.ts";

const PATHS = ["a/1.txt", "a/2.txt", "b/3.txt", "b/4.txt", "5.txt"];
const SHARES = ["everyone", "user:ann@x.org", "user:bob@y.org", "group:hr", "domain:x.org"];
const DEFAULTS = [[], ["group:hr"], ["domain:x.org"]];
const READERS = [
  { user: "ann@x.org", groups: [] },
  { user: "bob@y.org", groups: ["hr"] },
  { user: "eve@x.org", groups: [] },
  { user: "zoe@z.org", groups: [] },
];

/** Of each file its readers, null where nobody told them. */
type Told = Map<string, string[] | null>;

type Of = {
  world: World;
  source: FileSourceId;
  rag: RagId;
  drive: FollowedSource | null;
  seed: number;
};

/** A source, what is true of it, and of each file the readers that may be in force. */
class Trial {
  readonly told: Told = new Map();
  readonly world: World;
  readonly source: FileSourceId;
  readonly rag: RagId;
  readonly drive: FollowedSource | null;
  readonly dice: Dice;
  inForce = new Map<string, string[][]>();
  permissions: "off" | "on" = "on";
  defaults: string[] = [];
  isSettled = true;
  /** A worker died or a message was lost: a scan under way may list what was true before. */
  isHurt = false;
  version = 0;

  constructor({ world, source, rag, drive, seed }: Of) {
    [this.world, this.source, this.rag, this.drive] = [world, source, rag, drive];
    this.dice = new Dice(seed);
  }

  readersOf(path: string): string[] {
    const told = this.told.get(path);
    return told === undefined ? [] : (told ?? this.defaults);
  }

  /** What is true now may be in force, too; `only`: and nothing else. */
  now(paths: Iterable<string>, only: boolean) {
    for (const path of paths) {
      const before = only ? [] : (this.inForce.get(path) ?? []);
      this.inForce.set(path, [...before, this.readersOf(path)]);
    }
  }

  async update(patch: { permissions?: "off" | "on"; defaultReaders?: string[] }) {
    const source = await findFileSource(this.world.services, { key: this.source });
    await updateFileSource(this.world.services, { source, patch });
  }

  /** The sweep ends a scan whose worker died. */
  async scan() {
    if (this.isHurt) await this.world.sweepAfter(30);
    const input = { sourceId: this.source, confirmRemovals: true, urls: null };
    await requestScan(this.world.services, input);
  }

  /** Does it, or dies on the way, or loses its messages. */
  async attempt(paths: Iterable<string>, work: () => Promise<unknown>, only = true) {
    const { world, dice } = this;
    this.isSettled = false;
    const fate = dice.roll(2) === 0 ? 0 : dice.roll(4);
    if (fate === 0) {
      const moment = dice.pick(["before", "after"] as const);
      const crash = new CrashPoint(1 + dice.roll(4), moment);
      await world.workUntil(crash, async () => {
        await work();
        await world.deliver();
      });
      world.waiting = [];
      this.isHurt ||= crash.hasCrashed;
      this.now(paths, only && this.drive === null && !crash.hasCrashed);
      if (this.drive !== null) return;
      // The sweep tells the index what is recorded; whoever was refused tries again.
      if (dice.chance(0.7)) await this.sweepsUp(paths);
    }
    await work();
    if (fate === 1) world.waiting = [];
    else await world.deliver();
    this.isHurt ||= fate === 1;
    this.now(paths, this.drive === null ? only : !this.isHurt);
  }

  async sweepsUp(paths: Iterable<string>) {
    await this.world.sweepAfter(1);
    for (const path of paths) {
      const file = await findFileReaders(this.world.services.db, this.source, path);
      const readers = file?.audience?.readers ?? [];
      this.inForce.set(path, [readers.map(({ principal }) => principal)]);
    }
    await look(this, "swept");
  }

  /** Whatever was lost is found by the sweep; a drive's changes by its next scan. */
  async settle() {
    await this.world.sweepAfter(1, 30, 30);
    if (this.drive !== null) await this.scan();
    await this.world.deliver();
    await this.world.sweepAfter(1);
    this.now(this.all(), true);
    this.isSettled = true;
    this.isHurt = false;
  }

  all = () => new Set([...PATHS, ...this.told.keys()]);
}

async function pushedStep(trial: Trial) {
  const { world, dice, told } = trial;
  const { source } = await findFileSource(world.services, { key: trial.source });
  const path = dice.pick(PATHS);
  const readers = SHARES.filter(() => dice.chance(0.3));
  const kind = dice.roll(10);
  if (kind < 4 && told.has(path)) {
    told.set(path, readers);
    return await trial.attempt([path], () => setReaders(world.services, { source, path, readers }));
  }
  if (kind === 4) {
    if (told.delete(path)) await world.drop(trial.source, path);
    return trial.now([path], true);
  }
  const named = dice.chance(0.6) ? readers : null;
  // A default that changed is applied by a scan, which may not have come yet.
  const keeps = named === null && told.get(path) === null;
  if (named !== null || !told.has(path)) told.set(path, named);
  const body = bytesOf(`A note, ${trial.version++ >> 1} of ${path}.`);
  const file = { source, path, body, contentLength: null, mimeType: "text/plain", metadata: null };
  await trial.attempt([path], () => putFile(world.services, { ...file, readers: named }), !keeps);
}

async function drivenStep(trial: Trial, drive: FollowedSource) {
  const { dice, told } = trial;
  const path = dice.pick(PATHS);
  const kind = dice.roll(10);
  if (kind > 6) return await trial.attempt(trial.all(), () => trial.scan());
  trial.isSettled = false;
  trial.version++;
  if (kind < 5) return share(trial, drive, { path, isNewText: kind > 2 });
  if (!told.has(path)) return;
  const to = `moved/${trial.version}.txt`;
  if (kind === 5) drive.remove(path);
  else {
    drive.move(path, to);
    told.set(to, told.get(path) ?? null);
  }
  told.delete(path);
}

/** A file of a drive keeps its id; one that comes to its path later is another. */
function share(
  { dice, told, version }: Trial,
  drive: FollowedSource,
  { path, isNewText }: { path: string; isNewText: boolean },
) {
  const { text = "", externalId = `id ${version}` } = drive.files.get(path) ?? {};
  const readers = dice.chance(0.8) ? SHARES.filter(() => dice.chance(0.3)) : null;
  const principals = readers?.map((principal) => ({ principal, from: "file" }));
  drive.change(path, {
    text: isNewText || text === "" ? `A note, ${version}.` : text,
    externalId,
    ...(principals && { readers: { principals } }),
  });
  told.set(path, readers);
}

async function settingsStep(trial: Trial) {
  const { dice } = trial;
  const wasOn = trial.permissions === "on";
  const permissions = dice.chance(0.5) ? "on" : "off";
  trial.defaults = dice.pick(DEFAULTS);
  trial.permissions = permissions;
  await trial.update({ permissions, defaultReaders: trial.defaults });
  trial.isSettled = false;
  // What a drive told before is void; what was pushed is kept.
  if (trial.drive !== null && !wasOn && permissions === "on") trial.inForce.clear();
  trial.now(trial.all(), false);
  if (dice.chance(0.3)) trial.world.waiting = [];
  else if (dice.chance(0.7)) await trial.world.deliver();
  trial.now(trial.all(), false);
}

async function look(trial: Trial, at: number | string) {
  const { world } = trial;
  const found = await findRag(world.services, { key: trial.rag });
  const asked = trial.isSettled || at === "swept" ? READERS : [trial.dice.pick(READERS)];
  for (const reader of asked) {
    const reading = {
      reader: reader.user,
      groups: reader.groups,
      header: null,
      groupsHeader: null,
    };
    const [rag = found] = await readAs(world.services.db, reading, [found]);
    const request = requestOf([rag], { queries: ["note"], topK: 50, includeDuplicates: true });
    const { chunks } = await retrieve(world.services, request);
    const paths = [...new Set(chunks.map(({ source }) => source.filePath))].sort();
    const own = new Set<string>(principalsOf(reader));
    const isOff = trial.permissions === "off";
    const isIn = (some: string[]) => isOff || some.some((one) => own.has(one));
    const context = { at, reader: reader.user, permissions: trial.permissions };
    if (!isOff) {
      const tooMany = paths.filter((path) => !trial.inForce.get(path)?.some(isIn));
      expect({ ...context, tooMany }).toEqual({ ...context, tooMany: [] });
    }
    if (!trial.isSettled) continue;
    const expected = [...trial.told.keys()].filter((path) => isIn(trial.readersOf(path))).sort();
    expect({ ...context, paths }).toEqual({ ...context, paths: expected });
    if (isOff) continue;
    const { processedFiles } = await countedFor(world.services.db, { ...rag, processedFiles: 0 });
    expect({ ...context, processedFiles }).toEqual({ ...context, processedFiles: expected.length });
  }
}

test.each([
  ["file_system", 50, 11],
  ["cloud_drive", 36, 12],
] as const)(
  "no step of a %s shows a reader too much, and none is missing",
  async (provider, steps, seed) => {
    const drive = provider === "file_system" ? null : new FollowedSource();
    const world = new World(drive === null ? {} : { sourceReaders: async () => drive });
    const of = await world.addSourceAndRag(provider);
    const trial = new Trial({ world, ...of, drive, seed });
    await trial.update({ permissions: "on" });
    for (let at = 0; at < steps; at++) {
      world.now += 1_000;
      if (trial.dice.chance(0.12)) await settingsStep(trial);
      else await (drive === null ? pushedStep(trial) : drivenStep(trial, drive));
      await look(trial, at);
      if (!trial.dice.chance(0.15)) continue;
      await trial.settle();
      await look(trial, at);
    }
  },
  60_000,
);

test("what a drive told before permissions were off lets nobody in when they are on", async () => {
  const drive = new FollowedSource();
  const world = new World({ sourceReaders: async () => drive });
  const of = await world.addSourceAndRag("cloud_drive");
  const trial = new Trial({ world, ...of, drive, seed: 1 });
  await trial.update({ permissions: "on" });
  const principals = [{ principal: "user:ann@x.org", from: "file" }];
  drive.change("a.txt", { text: "A note.", readers: { principals } });
  trial.told.set("a.txt", ["user:ann@x.org"]);
  await trial.settle();
  await look(trial, "before");
  await trial.update({ permissions: "off" });
  await trial.update({ permissions: "on" });
  trial.inForce.clear();
  trial.isSettled = false;
  await look(trial, "swept");
});
