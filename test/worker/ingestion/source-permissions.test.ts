import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { findFileSource } from "../../../src/catalog/file-sources/find-file-source.ts";
import { setReaders } from "../../../src/ingestion/uploads/pushed-files.ts";
import { putFile } from "../../../src/ingestion/uploads/put-file.ts";
import { BUCKET_CONFIG, serveBucket } from "../../doubles/object-storage/served-bucket.ts";
import { ScriptedSource } from "../../doubles/source/scripted-source.ts";
import { World, bytesOf } from "../../support/ingestion-world.ts";
import {
  DEFAULTS,
  look,
  PATHS,
  SHARES,
  STAFF,
  Trial,
  trialOfDrive,
  type GroupedSource,
} from "./permissions-trial.ts";

/** `RANDOM_STEPS=50` takes fifty times the steps. */
const { RANDOM_STEPS: TIMES = 1 } = env;

async function pushedStep(trial: Trial) {
  const { world, dice, readersByPath } = trial;
  const { source } = await findFileSource(world.services, { key: trial.source });
  const path = dice.pick(PATHS);
  const readers = SHARES.filter(() => dice.chance(0.3));
  const kind = dice.roll(10);
  if (kind < 4 && readersByPath.has(path)) {
    readersByPath.set(path, readers);
    return await trial.attempt([path], () => setReaders(world.services, { source, path, readers }));
  }
  if (kind === 4) {
    if (readersByPath.delete(path)) await world.drop(trial.source, path);
    return trial.now([path], true);
  }
  const statedReaders = dice.chance(0.6) ? readers : null;
  if (statedReaders !== null || !readersByPath.has(path)) readersByPath.set(path, statedReaders);
  const text = `A note, ${trial.version++ >> 1} of ${path}.`;
  trial.texts.set(path, text);
  const body = bytesOf(text);
  const file = { source, path, body, contentLength: null, mimeType: "text/plain", metadata: null };
  await trial.attempt([path], () => putFile(world.services, { ...file, readers: statedReaders }));
}

/** The last: they may not be read. */
const MEMBERS = [[], ["user:ann@x.org"], ["domain:y.org", "user:zoe@z.org"], null];

async function drivenStep(trial: Trial, drive: GroupedSource) {
  const { dice, readersByPath } = trial;
  const path = dice.pick(PATHS);
  const kind = dice.roll(12);
  if (kind > 8) return await trial.attempt(trial.all(), () => trial.scan());
  trial.isSettled = false;
  if (kind === 8) return drive.become(dice.pick(MEMBERS));
  trial.version++;
  if (kind < 5) return share(trial, drive, { path, isNewText: kind > 2 });
  if (!readersByPath.has(path)) return;
  const to = `moved/${trial.version}.txt`;
  if (kind === 5) drive.remove(path);
  else {
    drive.move(path, to);
    readersByPath.set(to, readersByPath.get(path) ?? null);
    trial.texts.set(to, trial.texts.get(path) ?? "");
    // Where it lies now others may read it.
    if (dice.chance(0.7)) share(trial, drive, { path: to, isNewText: false });
  }
  readersByPath.delete(path);
}

/** A file of a drive keeps its id; one that comes to its path later is another. */
function share(
  { dice, readersByPath, texts, version }: Trial,
  drive: GroupedSource,
  { path, isNewText }: { path: string; isNewText: boolean },
) {
  const existing = drive.files.get(path);
  const text = isNewText || existing === undefined ? `A note, ${version}.` : existing.text;
  const readers = dice.chance(0.8) ? [...SHARES, STAFF].filter(() => dice.chance(0.3)) : null;
  const principals = readers?.map((principal) => ({ principal, from: "file" }));
  const isHidden = dice.chance(0.15);
  texts.set(path, text);
  drive.change(path, {
    text,
    externalId: existing?.externalId ?? `id ${version}`,
    ...(principals && { readers: isHidden ? { unreadable: "not told" } : { principals } }),
  });
  readersByPath.set(path, isHidden && readers !== null ? [] : readers);
}

type Bucket = {
  put: (path: string, text: string, readers: string[] | null) => unknown;
  remove: (path: string) => unknown;
};

/** An object is put, also again as it was before it was removed, or with other metadata alone. */
async function bucketStep(trial: Trial, bucket: Bucket) {
  const { dice, readersByPath, texts } = trial;
  const path = dice.pick(PATHS);
  const kind = dice.roll(10);
  if (kind > 6) return await trial.attempt(trial.all(), () => trial.scan());
  trial.isSettled = false;
  const earlierText = texts.get(path);
  if (kind < 2 && readersByPath.delete(path)) return void (await bucket.remove(path));
  const text =
    kind < 4 || earlierText === undefined ? `A note, ${trial.version++} of ${path}.` : earlierText;
  const readers = trial.isPublic || dice.chance(0.3) ? null : SHARES.filter(() => dice.chance(0.3));
  texts.set(path, text);
  readersByPath.set(path, readers);
  await bucket.put(path, text, readers);
}

type Made = { bucket: (world: World) => Bucket; provider: string; config?: unknown };

const ofBucket =
  ({ bucket, provider, config = {} }: Made) =>
  async (seed: number) => {
    const world = new World();
    const storage = bucket(world);
    const setup = await world.addSourceAndRag(provider, config);
    const isPublic = provider === "web";
    const trial = new Trial({ world, ...setup, drive: { inForce: [[]] }, isPublic, seed });
    await trial.update({ permissions: "on" });
    return { world, trial, step: async () => await bucketStep(trial, storage) };
  };

const r2 = ofBucket({
  provider: "object_storage",
  config: { r2: true, prefix: "trial/" },
  bucket: () => ({
    put: async (path, text, readers) =>
      await env.FILES.put(`trial/${path}`, text, {
        customMetadata: readers === null ? {} : { readers: JSON.stringify(readers) },
      }),
    remove: async (path) => await env.FILES.delete(`trial/${path}`),
  }),
});

const s3 = ofBucket({
  provider: "object_storage",
  config: BUCKET_CONFIG,
  bucket(world) {
    const objects = new Map<string, string>();
    const facts: Parameters<typeof serveBucket>[1] = new Map();
    serveBucket(objects, facts);
    return {
      put(path, text, readers) {
        objects.set(`docs/${path}`, text);
        facts.set(`docs/${path}`, { at: world.now, readers: readers?.join(", ") ?? null });
      },
      remove(path) {
        objects.delete(`docs/${path}`);
        facts.delete(`docs/${path}`);
      },
    };
  },
});

/** Its pages have the source's default, or are public. */
const web = ofBucket({
  provider: "web",
  bucket(world) {
    const pages = new ScriptedSource();
    world.services.sourceReaders = async () => pages;
    const { files } = pages;
    return { put: (path, text) => files.set(path, { text }), remove: (path) => files.delete(path) };
  },
});

async function settingsStep(trial: Trial) {
  const { dice } = trial;
  const wasOn = trial.permissions === "on";
  const permissions = dice.chance(0.5) ? "on" : "off";
  trial.defaults = dice.pick(DEFAULTS);
  trial.permissions = permissions;
  await trial.update({ permissions, defaultReaders: trial.defaults });
  trial.isSettled = false;
  // Readers that a drive told before are void; pushed ones are kept.
  if (trial.drive !== null && !wasOn && permissions === "on") trial.inForce.clear();
  // Once it is answered, nobody is let in by the default before.
  const { drive, readersByPath, defaulted } = trial;
  const isIn = (path: string) =>
    drive === null || (readersByPath.get(path) === null && defaulted.surely.has(path));
  trial.now([...trial.all()].filter(isIn), permissions === "on");
  trial.now(
    [...trial.all()].filter((path) => !isIn(path)),
    false,
  );
  await look(trial, "changed");
  if (dice.chance(0.3)) trial.world.waiting = [];
  else if (dice.chance(0.7)) await trial.world.deliver();
  trial.now(trial.all(), false);
}

async function pushed(seed: number) {
  const world = new World();
  const trial = new Trial({ world, ...(await world.addSourceAndRag()), drive: null, seed });
  await trial.update({ permissions: "on" });
  return { world, trial, step: async () => await pushedStep(trial) };
}

async function driven(seed: number) {
  const { world, trial, drive } = await trialOfDrive(seed);
  return { world, trial, step: async () => await drivenStep(trial, drive) };
}

test.each([
  ["pushed folder", 50, 11, pushed],
  ["drive", 120, 12, driven],
  ["R2 bucket", 60, 13, r2],
  ["S3 bucket", 60, 14, s3],
  ["web site", 40, 17, web],
] as const)(
  "no step of a %s shows a reader too much, and none is missing",
  async (_kind, steps, seed, make) => {
    const { world, trial, step } = await make(seed);
    for (let at = 0; at < steps * Number(TIMES); at++) {
      world.now += 1_000;
      await (trial.dice.chance(0.12) ? settingsStep(trial) : step());
      await look(trial, at);
      if (!trial.dice.chance(0.15)) continue;
      await trial.settle();
      await look(trial, at);
    }
  },
);

function letIn(trial: Trial, drive: GroupedSource, principal: string, text = "A note.") {
  drive.change("a.txt", { text, readers: { principals: [{ principal, from: "file" }] } });
  trial.readersByPath.set("a.txt", [principal]);
  trial.texts.set("a.txt", text);
}

test("what a drive told before permissions were off lets nobody in when they are on", async () => {
  const { drive, trial } = await trialOfDrive(1);
  letIn(trial, drive, "user:ann@x.org");
  await trial.settle();
  await look(trial, "before");
  await trial.update({ permissions: "off" });
  await trial.update({ permissions: "on" });
  trial.inForce.clear();
  trial.isSettled = false;
  await look(trial, "swept");
});

test("a removed permission counts before a scan's texts are queued", async () => {
  const { drive, world, trial } = await trialOfDrive(1);
  letIn(trial, drive, "user:ann@x.org");
  await trial.settle();
  letIn(trial, drive, "user:bob@y.org", "Another note.");
  const { queue } = world.services;
  // An error thrown there would only make the scan try again.
  const failures = new Set<unknown>();
  world.services.queue = {
    ...queue,
    async index(...args) {
      trial.isSettled = false;
      trial.now(["a.txt"], true);
      const looked = look(trial, "swept");
      failures.add(await looked.catch((thrown: unknown) => thrown));
      await queue.index(...args);
    },
  };
  await trial.scan();
  await world.deliver();
  expect([...failures]).toEqual([undefined]);
});
