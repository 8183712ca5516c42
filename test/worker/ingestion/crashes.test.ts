import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { RagId, FileId, FileSourceId } from "../../../src/core/ids.ts";
import { DAY_MS, HOUR_MS } from "../../../src/core/time.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { removeDeletedFiles } from "../../../src/ingestion/removal/remove-from-indexes.ts";
import { aroundCalls, crashAtCalls, type CrashPoint } from "../../support/crash.ts";
import { World, ragWorld, keysOf, rowsOf, statement } from "../../support/ingestion-world.ts";

const LIMIT = 60;

/**
 * Runs the work with a crash after each outside call in turn: what is outside is then as it is
 * before the next call. Later another worker, and the sweep, find what it left.
 */
const atEachCall = async (
  run: (world: World, crash: CrashPoint) => Promise<void>,
  check: (world: World) => Promise<void>,
) =>
  await crashAtCalls(async (crash) => {
    const world = new World();
    await run(world, crash);
    await world.deliver();
    await world.sweepAfter(3, 15);
    await check(world);
  });

test("an index job whose worker dies at any call ends as if it had not", async () => {
  let rags: RagId[] = [];
  let embedded: string[] = [];
  const points = await atEachCall(
    async (world, crash) => {
      const source = await world.addSource();
      rags = [await world.addRag(source), await world.addRag(source)];
      embedded = world.countEmbedded();
      await world.put(source, "a.html", "<p>A note about moss.</p>");
      await world.put(source, "b.html", "");
      await world.put(source, "c.html", "<p>A note about peat.</p>");
      await world.workUntil(crash);
    },
    async (world) => {
      for (const rag of rags) {
        expect(await world.rows(rag)).toMatchObject([
          { path: "a.html", status: "indexed", chunks: 1, error: null, attempts: 0 },
          { path: "b.html", status: "error", chunks: 0, error: "no text found" },
          { path: "c.html", status: "indexed", chunks: 1, error: null, attempts: 0 },
        ]);
        expect(await world.counters(rag)).toMatchObject({ indexed: 2, error: 1, vectors: 2 });
        expect(await world.index(rag).facts()).toMatchObject({ chunks: 2, files: 2, staged: 0 });
        expect(Object.keys(await world.texts(rag)).sort()).toEqual(["a.html", "c.html"]);
      }
      // Nothing that was stored is embedded again: at most the call that was lost is repeated.
      const ofFiles = embedded.filter((text) => text.includes("A note about"));
      expect(ofFiles.length).toBeLessThanOrEqual(8);
    },
  );
  expect(points).toBeGreaterThan(12);
});

test.for([
  { read: "from the bucket", carriesTexts: false, least: 8 },
  { read: "from the message", carriesTexts: true, least: 4 },
])(
  "files of one message, read $read: a worker that dies changes nothing",
  async ({ carriesTexts, least }) => {
    let rag: RagId;
    const texts = ["A note about moss.", "A note about peat.", "", "A note about ferns."];
    const points = await atEachCall(
      async (world, crash) => {
        const setup = await world.addSourceAndRag();
        ({ rag } = setup);
        world.carriesTexts = carriesTexts;
        const files = texts.map((text, at) => [`${at}.txt`, text] as const);
        await world.putTogether(setup.source, Object.fromEntries(files));
        expect(world.waiting).toHaveLength(1);
        await world.workUntil(crash);
      },
      async (world) => {
        expect(await world.rows(rag)).toMatchObject(
          texts.map((text, at) => ({
            path: `${at}.txt`,
            status: text === "" ? "error" : "indexed",
            attempts: 0,
          })),
        );
        expect(await world.index(rag).facts()).toMatchObject({ chunks: 3, files: 3, staged: 0 });
      },
    );
    expect(points).toBeGreaterThan(least);
  },
);

test("a push that dies at any call ends, pushed again, with one file and its bytes", async () => {
  let rag: RagId;
  await atEachCall(
    async (world, crash) => {
      const setup = await world.addSourceAndRag();
      ({ rag } = setup);
      const push = (times: string) => world.put(setup.source, "a.html", `<p>A note, ${times}.</p>`);
      await push("once");
      await world.deliver();
      await world.workUntil(crash, () => push("twice"));
      await push("twice");
    },
    async (world) => {
      expect(await world.rows(rag)).toMatchObject([{ path: "a.html", status: "indexed" }]);
      expect(await world.texts(rag)).toEqual({ "a.html": ["A note, twice."] });
    },
  );
});

test("a removal that dies at any call is finished by the sweep", async () => {
  let rag: RagId;
  await atEachCall(
    async (world, crash) => {
      const setup = await world.addSourceAndRag();
      ({ rag } = setup);
      await world.put(setup.source, "a.html", "<p>A note.</p>");
      await world.deliver();
      await world.workUntil(crash, () => world.drop(setup.source, "a.html"));
    },
    async (world) => {
      const [row] = await world.rows(rag);
      const removed = row?.status === "deleted";
      expect(await world.texts(rag)).toEqual(removed ? {} : { "a.html": ["A note."] });
      expect(await world.counters(rag)).toMatchObject({ vectors: removed ? 0 : 1 });
    },
  );
});

/** Does something before each outside call of an index job in turn, then lets all come to rest. */
async function beforeEachCall(
  act: (setup: Awaited<ReturnType<typeof ragWorld>>) => Promise<unknown>,
  check: (world: World, rag: RagId) => Promise<void>,
): Promise<number> {
  for (let at = 1; at <= LIMIT; at++) {
    const setup = await ragWorld();
    const { world, source, rag } = setup;
    await world.put(source, "a.html", "<p>A note.</p>");
    const { services } = world;
    let calls = 0;
    world.services = aroundCalls(services, async (go) => {
      if (++calls === at) await world.as(services, () => act(setup));
      return await go();
    });
    await world.deliver();
    world.services = services;
    if (calls < at) return at - 1;
    await check(world, rag);
    await world.sweepAfter(15);
    await check(world, rag);
  }
  throw new Error("the job does not come to an end");
}

test("a file removed while any step of its index job runs does not come back", async () => {
  const steps = await beforeEachCall(
    async ({ world, source }) => await world.drop(source, "a.html"),
    async (world, rag) => {
      expect(await world.texts(rag)).toEqual({});
      expect(await world.rows(rag)).toMatchObject([{ status: "deleted", chunks: 0 }]);
      expect(await world.index(rag).facts()).toMatchObject({ chunks: 0, files: 0 });
    },
  );
  expect(steps).toBeGreaterThanOrEqual(7);
});

test("a file changed while any step of its index job runs ends with the change", async () => {
  await beforeEachCall(
    async ({ world, source }) => await world.put(source, "a.html", "<p>A note, changed.</p>"),
    async (world, rag) => {
      expect(await world.texts(rag)).toEqual({ "a.html": ["A note, changed."] });
      expect(await world.counters(rag)).toMatchObject({ indexed: 1, pending: 0, vectors: 1 });
    },
  );
});

const PATH = "note.txt";

/** A world that keeps what its log was told, and a bucket of which the keys of one source fail. */
function worldWithLog(fails: () => FileSourceId | null) {
  const world = new World();
  world.aroundBucket(async ({ name, args: [keys], go }) => {
    const source = fails();
    const isKey = source !== null && JSON.stringify(keys).includes(source);
    if (isKey && ["delete", "list"].includes(name)) throw new Error("the bucket does not answer");
    return await go();
  });
  return { world, warnings: world.logged("error") };
}

test("a source whose replaced bytes cannot be deleted is told and holds up none", async () => {
  let broken: FileSourceId | null = null;
  const { world, warnings } = worldWithLog(() => broken);
  broken = await world.addSource();
  const sound = await world.addSource();
  for (const id of [broken, sound]) {
    await world.put(id, PATH, "A note.");
    await world.put(id, PATH, "Another note.");
  }
  await sweep(world.services);
  expect(await keysOf(broken)).toHaveLength(2);
  expect(await keysOf(sound)).toHaveLength(1);
  const facts = { sourceId: broken, contents: 1, reason: "the bucket does not answer" };
  expect(warnings).toEqual([["replaced contents not deleted", facts]]);

  // It waits an hour, then is tried again.
  await sweep(world.services);
  expect(warnings).toHaveLength(1);
  const id = broken;
  broken = null;
  world.now += HOUR_MS;
  await sweep(world.services);
  expect(await keysOf(id)).toHaveLength(1);
});

test("a source whose bytes cannot be listed is told and holds up none", async () => {
  let broken: FileSourceId | null = null;
  const { world, warnings } = worldWithLog(() => broken);
  const ids = [await world.addSource(), await world.addSource()] as const;
  [broken] = ids;
  for (const [at, id] of ids.entries()) {
    await env.FILES.put(`sources/${id}/file/bytes/left`, "of an upload that broke off");
    await statement("update file_sources set uploads_due_at = ?2 where id = ?1", id, at).run();
  }
  world.now += 2 * DAY_MS;
  await sweep(world.services);
  expect(await keysOf(ids[1])).toEqual([]);
  expect(await keysOf(ids[0])).toHaveLength(1);
  const facts = { sourceId: broken, reason: "the bucket does not answer" };
  expect(warnings).toEqual([["interrupted uploads not checked", facts]]);

  broken = null;
  world.now += HOUR_MS;
  await sweep(world.services);
  expect(await keysOf(ids[0])).toEqual([]);
});

test("an index that does not answer keeps no removal of another index open", async () => {
  const { world, warnings } = worldWithLog(() => null);
  const source = await world.addSource();
  const [broken, sound] = [await world.addRag(source), await world.addRag(source)];
  await world.putAndIndex(source, { [PATH]: "A note." });
  const { ragIndexes } = world.services;
  world.aroundIndexes(async ({ name, go }, { ragId }) => {
    if (ragId === broken && name === "remove") throw new Error("no answer");
    return await go();
  });
  const removal = world.drop(source, PATH);
  await expect(removal).rejects.toThrow("no answer");
  const open =
    "select rag_id as ragId from rag_files where status = 'deleted' and leased_until > 0";
  expect(await rowsOf(open)).toEqual([{ ragId: broken }]);
  expect(await world.texts(sound)).toEqual({});
  expect(warnings).toMatchObject([["files not removed from an index", { ragId: broken }]]);

  // A scan that removes more files goes on.
  await world.putAndIndex(source, { [PATH]: "Another note." });
  const files = await rowsOf<{ id: FileId }>(
    "select id from files where file_source_id = ?",
    source,
  );
  const all = files.map(({ id }) => id);
  expect(await removeDeletedFiles(world.services, all, world.now + 1)).toBe(1);
  expect(await world.texts(sound)).toEqual({});

  world.services.ragIndexes = ragIndexes;
  world.now += HOUR_MS;
  await sweep(world.services);
  expect(await world.texts(broken)).toEqual({});
});
