import { expect, test } from "vitest";

import type { RagId } from "../../../src/core/ids.ts";
import { aroundCalls, crashAtCalls, type CrashPoint } from "../../support/crash.ts";
import { World, ragWorld } from "../../support/ingestion-world.ts";

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
        expect(Object.keys(await world.shown(rag)).sort()).toEqual(["a.html", "c.html"]);
      }
      // Nothing that was stored is embedded again: at most the call that was lost is repeated.
      expect(embedded.length).toBeLessThanOrEqual(8);
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
        const made = await world.addSourceAndRag();
        ({ rag } = made);
        world.carriesTexts = carriesTexts;
        const files = texts.map((text, at) => [`${at}.txt`, text] as const);
        await world.putTogether(made.source, Object.fromEntries(files));
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
      const made = await world.addSourceAndRag();
      ({ rag } = made);
      const push = (times: string) => world.put(made.source, "a.html", `<p>A note, ${times}.</p>`);
      await push("once");
      await world.deliver();
      await world.workUntil(crash, () => push("twice"));
      await push("twice");
    },
    async (world) => {
      expect(await world.rows(rag)).toMatchObject([{ path: "a.html", status: "indexed" }]);
      expect(await world.shown(rag)).toEqual({ "a.html": ["A note, twice."] });
    },
  );
});

test("a removal that dies at any call is finished by the sweep", async () => {
  let rag: RagId;
  await atEachCall(
    async (world, crash) => {
      const made = await world.addSourceAndRag();
      ({ rag } = made);
      await world.put(made.source, "a.html", "<p>A note.</p>");
      await world.deliver();
      await world.workUntil(crash, () => world.drop(made.source, "a.html"));
    },
    async (world) => {
      const [row] = await world.rows(rag);
      const removed = row?.status === "deleted";
      expect(await world.shown(rag)).toEqual(removed ? {} : { "a.html": ["A note."] });
      expect(await world.counters(rag)).toMatchObject({ vectors: removed ? 0 : 1 });
    },
  );
});

/** Does something before each outside call of an index job in turn, then lets all come to rest. */
async function beforeEachCall(
  act: (of: Awaited<ReturnType<typeof ragWorld>>) => Promise<unknown>,
  check: (world: World, rag: RagId) => Promise<void>,
): Promise<number> {
  for (let at = 1; at <= LIMIT; at++) {
    const of = await ragWorld();
    const { world, source, rag } = of;
    await world.put(source, "a.html", "<p>A note.</p>");
    const { services } = world;
    let calls = 0;
    world.services = aroundCalls(services, async (go) => {
      if (++calls === at) await world.as(services, () => act(of));
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
      expect(await world.shown(rag)).toEqual({});
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
      expect(await world.shown(rag)).toEqual({ "a.html": ["A note, changed."] });
      expect(await world.counters(rag)).toMatchObject({ indexed: 1, pending: 0, vectors: 1 });
    },
  );
});
