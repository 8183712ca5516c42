import { expect } from "vitest";

import { recountRag, resolveReaders } from "../../../src/access/readers.ts";
import { findFileSource } from "../../../src/catalog/file-sources/find-file-source.ts";
import { requestScan } from "../../../src/catalog/file-sources/request-scan.ts";
import { updateFileSource } from "../../../src/catalog/file-sources/update-file-source.ts";
import { findRag } from "../../../src/catalog/rags/find-rag.ts";
import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { principalsOf } from "../../../src/core/principals.ts";
import { findFileReaders } from "../../../src/db/files/reader-store.ts";
import { runScheduledWork } from "../../../src/ingestion/maintenance/sweep.ts";
import { SourceFailure } from "../../../src/ports/source-reader.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { FollowedSource } from "../../doubles/source/followed-source.ts";
import { CrashPoint } from "../../support/crash.ts";
import { Dice } from "../../support/dice.ts";
import { World } from "../../support/ingestion-world.ts";
import { requestOf } from "../../support/retrieval-requests.ts";

const DAY_MINUTES = 24 * 60;

export const PATHS = ["a/1.txt", "a/2.txt", "b/3.txt", "b/4.txt", "5.txt"];
export const SHARES = ["everyone", "user:ann@x.org", "user:bob@y.org", "group:hr", "domain:x.org"];
/** A group whose members a drive tells. */
export const STAFF = "group:staff";
export const DEFAULTS = [[], [], ["group:hr"], ["domain:x.org"]];
const READERS = [
  { user: "ann@x.org", groups: [] },
  { user: "bob@y.org", groups: ["hr"] },
  { user: "eve@x.org", groups: [] },
  { user: "zoe@z.org", groups: [] },
];

/** Readers of each file, null where nobody told them. */
type Told = Map<string, string[] | null>;

/** A drive that tells the members of its group; null: it refuses. */
export class GroupedSource extends FollowedSource {
  members: string[] | null = [];
  /** Possible members: as they were read last, and as they were since. */
  inForce: string[][] = [[]];

  become(members: string[] | null): void {
    this.members = members;
    this.inForce.push(members ?? []);
  }

  async membersOf(group: string) {
    if (`group:${group}` !== STAFF) return [];
    const { members } = this;
    this.inForce = [members ?? []];
    if (members === null) throw new SourceFailure("denied", "it may not be read");
    return await Promise.resolve(members);
  }
}

type Listed = Pick<GroupedSource, "inForce">;
type Of = {
  world: World;
  source: FileSourceId;
  rag: RagId;
  /** A source that is scanned; null: files are pushed to it. */
  drive: Listed | null;
  /** Without readers of its own or a default, everybody may read it. */
  isPublic?: boolean;
  seed: number;
};

/** A source, what is true of it, and of each file the readers that may be in force. */
export class Trial {
  readonly readersByPath: Told = new Map();
  /** Text of each file; no two files or versions are alike. */
  readonly texts = new Map<string, string>();
  /** Readers that were in force while a file said this. */
  readonly readersOfText = new Map<string, string[][]>();
  /** Texts of a file since the index was in step with its source. */
  readonly #textsOf = new Map<string, Set<string>>();
  readonly world: World;
  readonly source: FileSourceId;
  readonly rag: RagId;
  readonly drive: Listed | null;
  readonly isPublic: boolean;
  readonly dice: Dice;
  inForce = new Map<string, string[][]>();
  /** Files that have the default since a scan, and may have it: a drive's change waits for one. */
  readonly defaulted = { surely: new Set<string>(), perhaps: new Set<string>() };
  permissions: "off" | "on" = "on";
  defaults: string[] = [];
  isSettled = true;
  /** A worker died or a message was lost: a scan under way may list what was true before. */
  isHurt = false;
  version = 0;

  constructor({ world, source, rag, drive, isPublic = false, seed }: Of) {
    [this.world, this.source, this.rag, this.drive] = [world, source, rag, drive];
    this.isPublic = isPublic;
    this.dice = new Dice(seed);
  }

  readersOf(path: string): string[] {
    const readers = this.readersByPath.get(path);
    return readers === undefined ? [] : (readers ?? this.byDefault());
  }

  byDefault = () => (this.isPublic && this.defaults.length === 0 ? ["everyone"] : this.defaults);

  /** Adds the present readers to those in force; `only`: in their place. */
  now(paths: Iterable<string>, only: boolean) {
    for (const path of paths) {
      const before = only ? [] : (this.inForce.get(path) ?? []);
      this.#noteDefault(path, only);
      const { perhaps } = this.defaulted;
      const still = !only && perhaps.has(path) ? [this.byDefault()] : [];
      const inForce = [...before, this.readersOf(path), ...still];
      this.inForce.set(path, inForce);
      const text = this.texts.get(path) ?? "";
      this.#mayRead(text, inForce);
      // The default holds for what a file said before, too, until its new text is indexed.
      const texts = this.#textsOf.get(path) ?? new Set();
      this.#textsOf.set(path, texts.add(text));
      if (perhaps.has(path)) for (const any of texts) this.#mayRead(any, [this.byDefault()]);
    }
  }

  #noteDefault(path: string, only: boolean) {
    const { surely, perhaps } = this.defaulted;
    const isDefault = this.readersByPath.get(path) === null;
    if (isDefault) perhaps.add(path);
    else if (only) perhaps.delete(path);
    if (!isDefault) surely.delete(path);
    else if (only) surely.add(path);
  }

  #mayRead(text: string, readers: string[][]) {
    this.readersOfText.set(text, [...(this.readersOfText.get(text) ?? []), ...readers]);
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
    await this.looksAtQueued(paths, only);
    if (fate === 1) world.waiting = [];
    else await world.deliver();
    this.isHurt ||= fate === 1;
    this.now(paths, this.drive === null ? only : !this.isHurt);
  }

  /** Looks at pushed files that are not indexed yet. */
  async looksAtQueued(paths: Iterable<string>, only: boolean) {
    if (this.drive !== null || this.dice.chance(0.6)) return;
    this.now(paths, only);
    await look(this, "queued");
  }

  async sweepsUp(paths: Iterable<string>) {
    await this.world.sweepAfter(1);
    for (const path of paths) {
      const file = await findFileReaders(this.world.services.db, this.source, path);
      const readers = file?.audience?.readers ?? [];
      const principals = readers.flatMap(({ principal, from }) =>
        from === "default" ? this.byDefault() : [principal],
      );
      this.inForce.set(path, [principals]);
    }
    await look(this, "swept");
  }

  /** Whatever was lost is found by the sweep or a due scan; a drive's changes by its next scan. */
  async settle() {
    await this.world.sweepAfter(1, 30, 30);
    await runScheduledWork(this.world.services);
    if (this.drive !== null) await this.scan();
    await this.world.deliver();
    // Members are read once a day.
    await this.world.sweepAfter(1, ...(this.drive === null ? [] : [DAY_MINUTES]));
    this.#textsOf.clear();
    this.now(this.all(), true);
    this.isSettled = true;
    this.isHurt = false;
  }

  all = () => new Set([...PATHS, ...this.readersByPath.keys()]);
}

export async function look(trial: Trial, at: number | string) {
  const { world } = trial;
  const record = await findRag(world.services, { key: trial.rag });
  const readers =
    trial.isSettled || at === "swept" ? READERS : trial.dice.shuffle(READERS).slice(2);
  for (const reader of readers) {
    const reading = {
      reader: reader.user,
      groups: reader.groups,
      header: null,
      groupsHeader: null,
    };
    const [rag = record] = await resolveReaders(world.services.db, reading, [record]);
    const request = requestOf([rag], { queries: ["note"], topK: 100, includeDuplicates: true });
    const { chunks } = await retrieve(world.services, request);
    const paths = [...new Set(chunks.map(({ source }) => source.filePath))].sort();
    const own = new Set<string>(principalsOf(reader));
    const isOff = trial.permissions === "off";
    if (trial.drive?.inForce.some((members) => members.some((member) => own.has(member))) === true)
      own.add(STAFF);
    const isIn = (some: string[]) => isOff || some.some((principal) => own.has(principal));
    const context = { at, reader: reader.user, permissions: trial.permissions };
    if (!isOff) {
      const tooMany = chunks.flatMap(({ source: { filePath: path }, text }) => {
        const mayRead = [trial.inForce.get(path), trial.readersOfText.get(text)];
        return mayRead.every((some) => some?.some(isIn) === true) ? [] : [{ path, text }];
      });
      expect({ ...context, tooMany }).toEqual({ ...context, tooMany: [] });
    }
    if (!trial.isSettled) continue;
    const expected = [...trial.readersByPath.keys()]
      .filter((path) => isIn(trial.readersOf(path)))
      .sort();
    expect({ ...context, paths }).toEqual({ ...context, paths: expected });
    if (isOff) continue;
    const { processedFiles } = await recountRag(world.services.db, {
      ...rag,
      processedFiles: 0,
    });
    expect({ ...context, processedFiles }).toEqual({ ...context, processedFiles: expected.length });
  }
}

/** A trial of a drive with permissions. */
export async function trialOfDrive(seed: number) {
  const drive = new GroupedSource();
  const world = new World({ sourceReaders: async () => drive });
  const setup = await world.addSourceAndRag("cloud_drive");
  const trial = new Trial({ world, ...setup, drive, seed });
  await trial.update({ permissions: "on" });
  return { drive, world, trial };
}
