import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import type { FileSourceId } from "../../../src/core/ids.ts";
import { MINUTE_MS } from "../../../src/core/time.ts";
import { readExtractedText } from "../../../src/ingestion/indexing/extracted-texts.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { purgeReplacedContents } from "../../../src/ingestion/removal/purge-replaced-contents.ts";
import { putFile } from "../../../src/ingestion/uploads/put-file.ts";
import { removePushedFile } from "../../../src/ingestion/uploads/remove-pushed-file.ts";
import type { Services } from "../../../src/services.ts";
import { CrashPoint } from "../../support/crash.ts";
import { World, bytesOf, statement } from "../../support/ingestion-world.ts";
import { pageKey } from "../../../src/sources/web/page-store.ts";
import { watching } from "../../support/watched-services.ts";

const PATH = "a.html";
const LIMIT = 20;
const SCHEDULES = 10;
const STEPS = 10;
/** A worker lives 15 minutes at most. */
const LATE_MINUTES = 17;

async function push(services: Services, id: FileSourceId, text: string): Promise<void> {
  await putFile(services, {
    source: { id },
    path: PATH,
    body: bytesOf(`<p>${text}</p>`),
    contentLength: null,
    mimeType: "text/html",
    metadata: null,
  });
}

const remove = async (services: Services, id: FileSourceId) =>
  await removePushedFile(services, { source: { id }, path: PATH }).catch(() => undefined);

/** Lets everything come to rest, and late writers end. */
async function settle(world: World): Promise<void> {
  await world.deliver();
  await world.sweepAfter(3, LATE_MINUTES, LATE_MINUTES);
}

/** The bucket holds the bytes and the text of the file as it is, and nothing else. */
async function expectStored(world: World, id: FileSourceId, text: string | null): Promise<void> {
  const { objects } = await env.FILES.list({ prefix: `sources/${id}/` });
  const kinds = objects.map(({ key }) => key.split("/").at(3));
  expect(kinds).toEqual(text === null ? [] : ["bytes", "text"]);
  const source = { id, provider: "file_system" };
  const read = readExtractedText(world.services, { source, path: PATH });
  if (text === null) await expect(read).rejects.toThrow("Not found");
  else expect(await read).toMatchObject({ text, status: "indexed" });
  const waiting = env.DB.prepare("select * from replaced_contents where file_source_id = ?");
  expect((await waiting.bind(id).all()).results).toEqual([]);
}

test("a purge that dies at any call is repeated, and deletes nothing current", async () => {
  let points = 0;
  for (let at = 1, hasCrashed = true; hasCrashed && at < LIMIT; at++) {
    const world = new World();
    const source = await world.addSource();
    await world.addRag(source);
    for (const text of ["A note.", "Another note."]) {
      await push(world.services, source, text);
      await world.deliver();
    }
    await remove(world.services, source);
    const crash = new CrashPoint(at, "after");
    await purgeReplacedContents(crash.wrap(world.services)).catch(() => undefined);
    crash.revive();
    ({ hasCrashed } = crash);
    if (hasCrashed) points++;
    await push(world.services, source, "A note.");
    await settle(world);
    await expectStored(world, source, "A note.");
  }
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
  const files = new Proxy(world.services.files, {
    get(bucket, name) {
      calls++;
      return (Reflect.get(bucket, name) as () => unknown).bind(bucket);
    },
  });
  await purgeReplacedContents({ ...world.services, files });
  expect(calls).toBeLessThan(5);
  expect(await env.FILES.head(key)).toBeNull();
});

test("bytes that return before others were indexed have their text again", async () => {
  const world = new World();
  const source = await world.addSource();
  await world.addRag(source);
  await push(world.services, source, "A note.");
  await world.deliver();
  await push(world.services, source, "Another note.");
  await push(world.services, source, "A note.");
  await settle(world);
  await expectStored(world, source, "A note.");

  // The bucket is not asked about bytes that are new.
  const heads = vi.spyOn(world.services.files, "head");
  await push(world.services, source, "A third note.");
  await world.deliver();
  expect(heads).not.toHaveBeenCalled();
  heads.mockRestore();
});

test("bytes whose version became current again are not deleted", async () => {
  const world = new World();
  const source = await world.addSource();
  await world.addRag(source);
  await push(world.services, source, "A note.");
  await world.deliver();
  // As a write does that the database carries out again after another one.
  const become = async (version: string) => {
    const statement = env.DB.prepare("update files set version = ? where file_source_id = ?");
    await statement.bind(version, source).run();
  };
  const read = env.DB.prepare("select version from files where file_source_id = ?");
  const { version } = (await read.bind(source).first<{ version: string }>()) ?? { version: "" };
  await become("another");
  await become(version);
  await settle(world);
  await expectStored(world, source, "A note.");

  await push(world.services, source, "Another note.");
  await settle(world);
  await expectStored(world, source, "Another note.");
});

/** A source of numbers that is the same at every run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

test("pushes, removals, jobs and purges in any order leave what the file has", async () => {
  for (let seed = 0; seed < SCHEDULES; seed++) {
    const next = numbersFrom(seed);
    const world = new World();
    const source = await world.addSource();
    await world.addRag(source);
    const { services } = world;
    let text: string | null = null;
    const change = async () => {
      if (next(3) === 0) {
        await remove(services, source);
        text = null;
      } else {
        text = `Note ${next(3)}.`;
        await push(services, source, text);
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
      world.services = watching(services, async () => {
        if (calls-- === 0) await act();
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
