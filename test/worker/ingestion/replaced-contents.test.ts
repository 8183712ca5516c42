import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import type { FileSourceId } from "../../../src/core/ids.ts";
import { MINUTE_MS } from "../../../src/core/time.ts";
import { readExtractedText } from "../../../src/ingestion/indexing/extracted-texts.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { purgeReplacedContents } from "../../../src/ingestion/removal/purge-replaced-contents.ts";
import { pageKey } from "../../../src/sources/page-store.ts";
import { aroundCalls, crashAtCalls } from "../../support/crash.ts";
import { Dice } from "../../support/dice.ts";
import { World, keysOf, ragWorld, rowsOf, statement } from "../../support/ingestion-world.ts";

const PATH = "a.html";
const SCHEDULES = 7;
const STEPS = 10;
/** A worker lives 15 minutes at most. */
const LATE_MINUTES = 17;

const push = async (world: World, id: FileSourceId, text: string) =>
  await world.put(id, PATH, `<p>${text}</p>`);

const remove = async (world: World, id: FileSourceId) =>
  await world.drop(id, PATH).catch(() => undefined);

/** Lets everything come to rest, and late writers end. */
async function settle(world: World): Promise<void> {
  await world.deliver();
  await world.sweepAfter(3, LATE_MINUTES, LATE_MINUTES);
}

/** The bucket holds the bytes and the text of the file as it is, and nothing else. */
async function expectStored(world: World, id: FileSourceId, text: string | null): Promise<void> {
  const kinds = (await keysOf(id)).map((key) => key.split("/").at(3));
  expect(kinds).toEqual(text === null ? [] : ["bytes", "text"]);
  const source = { id, provider: "file_system" };
  const reading = readExtractedText(world.services, { source, path: PATH });
  if (text === null) await expect(reading).rejects.toThrow("Not found");
  else expect(await reading).toMatchObject({ text, status: "indexed" });
  expect(await rowsOf("select * from replaced_contents where file_source_id = ?", id)).toEqual([]);
}

test("a purge that dies at any call is repeated, and deletes nothing current", async () => {
  const points = await crashAtCalls(async (crash) => {
    const { world, source } = await ragWorld();
    for (const text of ["A note.", "Another note."]) {
      await push(world, source, text);
      await world.deliver();
    }
    await remove(world, source);
    await world.workUntil(crash, () => purgeReplacedContents(world.services));
    await push(world, source, "A note.");
    await settle(world);
    await expectStored(world, source, "A note.");
  });
  expect(points).toBeGreaterThanOrEqual(3);
});

test("thousands of pages that are gone are a few calls of the bucket", async () => {
  const world = new World();
  const source = await world.addSource("web");
  await statement(
    `insert into replaced_contents (file_source_id, file_id, path, version)
     with recursive n(n) as (select 1 union all select n + 1 from n where n < 1200)
     select ?1, 'page-' || n, 'https://moss.example.com/' || n, 'v' from n`,
    source,
  ).run();
  const page = await pageKey("https://moss.example.com/700", "v");
  const key = `sources/${source}/reader/${page}`;
  await env.FILES.put(key, "A note.");
  let calls = 0;
  world.aroundBucket(async ({ go }) => {
    calls++;
    return await go();
  });
  await purgeReplacedContents(world.services);
  expect(calls).toBeLessThan(5);
  expect(await env.FILES.head(key)).toBeNull();
});

test("bytes that return before others were indexed have their text again", async () => {
  const { world, source } = await ragWorld();
  await push(world, source, "A note.");
  await world.deliver();
  await push(world, source, "Another note.");
  await push(world, source, "A note.");
  await settle(world);
  await expectStored(world, source, "A note.");

  // The bucket is not asked about bytes that are new.
  const heads = vi.spyOn(world.services.files, "head");
  await push(world, source, "A third note.");
  await world.deliver();
  expect(heads).not.toHaveBeenCalled();
});

test("bytes whose version became current again are not deleted", async () => {
  const { world, source } = await ragWorld();
  await push(world, source, "A note.");
  await world.deliver();
  // As a write does that the database carries out again after another one.
  const [file] = await rowsOf<{ version: string }>(
    "select version from files where file_source_id = ?",
    source,
  );
  for (const version of ["another", file?.version]) {
    await statement("update files set version = ? where file_source_id = ?", version, source).run();
  }
  await settle(world);
  await expectStored(world, source, "A note.");

  await push(world, source, "Another note.");
  await settle(world);
  await expectStored(world, source, "Another note.");
});

test("pushes, removals, jobs and purges in any order leave what the file has", async () => {
  const seeds = new Dice(1);
  for (let schedule = 0; schedule < SCHEDULES; schedule++) {
    const dice = new Dice(seeds.roll(2 ** 32));
    const next = (below: number) => dice.roll(below);
    const { world, source } = await ragWorld();
    const { services } = world;
    let text: string | null = null;
    const change = async () => {
      if (next(3) === 0) {
        await remove(world, source);
        text = null;
      } else {
        text = `Note ${next(3)}.`;
        await push(world, source, text);
      }
    };
    const acts = [
      change,
      async () => await purgeReplacedContents(services),
      async () => {
        world.now += MINUTE_MS;
        await sweep(services);
      },
    ];
    const act = async () => await acts[next(acts.length)]?.();
    for (let step = 0; step < STEPS; step++) {
      await change();
      let calls = next(20);
      world.services = aroundCalls(services, async (go) => {
        // Another worker acts.
        if (calls-- === 0) await world.as(services, act);
        return await go();
      });
      if (next(3) > 0) await world.deliver();
      world.services = services;
      await act();
      if (next(4) === 0) world.now += LATE_MINUTES * MINUTE_MS;
    }
    await settle(world);
    await expectStored(world, source, text);
  }
});
