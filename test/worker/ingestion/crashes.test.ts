import { expect, test } from "vitest";

import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { putFile } from "../../../src/ingestion/uploads/put-file.ts";
import { putFiles } from "../../../src/ingestion/uploads/put-files.ts";
import { removePushedFile } from "../../../src/ingestion/uploads/remove-pushed-file.ts";
import type { Services } from "../../../src/services.ts";
import { CrashPoint } from "../../support/crash.ts";
import { World, bytesOf, ragWorld } from "../../support/ingestion-world.ts";
import { watching } from "../../support/watched-services.ts";

const LIMIT = 60;

/**
 * Runs the work with a crash after each outside call in turn, until one run meets no crash: what is
 * outside is then as it is before the next call.
 */
async function atEachCall(
  run: (world: World, crash: CrashPoint) => Promise<void>,
  check: (world: World) => Promise<void>,
): Promise<number> {
  for (let at = 1; at <= LIMIT; at++) {
    const world = new World();
    const crash = new CrashPoint(at, "after");
    await run(world, crash);
    await check(world);
    if (!crash.hasCrashed) return at - 1;
  }
  throw new Error("the work does not come to an end");
}

/** The worker dies; later another one, and the sweep, find what it left. */
async function recover(world: World, crash: CrashPoint): Promise<void> {
  crash.revive();
  await world.deliver();
  await world.sweepAfter(3, 15);
}

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
      await recover(world, crash);
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
    async function* files() {
      for (const [at, text] of texts.entries()) {
        const bytes = Uint8Array.from(new TextEncoder().encode(text));
        yield { path: `${at}.txt`, mimeType: "text/plain", metadata: null, bytes };
      }
    }
    const points = await atEachCall(
      async (world, crash) => {
        const source = { id: await world.addSource() };
        rag = await world.addRag(source.id);
        world.carriesTexts = carriesTexts;
        await putFiles(world.services, { source, files: files() });
        expect(world.waiting).toHaveLength(1);
        await world.workUntil(crash);
        await recover(world, crash);
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
      const source = await world.addSource();
      rag = await world.addRag(source);
      await world.put(source, "a.html", "<p>A note, once.</p>");
      await world.deliver();
      await world.workUntil(crash, () => world.put(source, "a.html", "<p>A note, twice.</p>"));
      crash.revive();
      await world.put(source, "a.html", "<p>A note, twice.</p>");
      await recover(world, crash);
    },
    async (world) => {
      expect(await world.rows(rag)).toMatchObject([{ path: "a.html", status: "indexed" }]);
      expect(await world.shown(rag)).toEqual({ "a.html": ["A note, twice."] });
    },
  );
});

test("a removal that dies at any call is finished by the sweep", async () => {
  let rag: RagId;
  let removed = false;
  await atEachCall(
    async (world, crash) => {
      const source = await world.addSource();
      rag = await world.addRag(source);
      await world.put(source, "a.html", "<p>A note.</p>");
      await world.deliver();
      const untouched = world.services;
      world.services = crash.wrap(untouched);
      const of = { source: { id: source }, path: "a.html" };
      await removePushedFile(world.services, of).catch(() => undefined);
      world.services = untouched;
      await recover(world, crash);
      const [row] = await world.rows(rag);
      removed = row?.status === "deleted";
    },
    async (world) => {
      expect(await world.shown(rag)).toEqual(removed ? {} : { "a.html": ["A note."] });
      expect(await world.counters(rag)).toMatchObject({ vectors: removed ? 0 : 1 });
    },
  );
});

/** Does something before each outside call of an index job in turn, then lets all come to rest. */
async function beforeEachCall(
  act: (services: Services, source: FileSourceId) => Promise<unknown>,
  check: (world: World, rag: RagId) => Promise<void>,
): Promise<number> {
  for (let at = 1; at <= LIMIT; at++) {
    const { world, source, rag } = await ragWorld();
    await world.put(source, "a.html", "<p>A note.</p>");
    const untouched = world.services;
    let calls = 0;
    world.services = watching(untouched, async () => {
      calls++;
      if (calls === at) await act(untouched, source);
    });
    await world.deliver();
    world.services = untouched;
    if (calls < at) return at - 1;
    await check(world, rag);
    await world.sweepAfter(15);
    await check(world, rag);
  }
  throw new Error("the job does not come to an end");
}

test("a file removed while any step of its index job runs does not come back", async () => {
  const steps = await beforeEachCall(
    (services, source) => removePushedFile(services, { source: { id: source }, path: "a.html" }),
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
    (services, source) =>
      putFile(services, {
        source: { id: source },
        path: "a.html",
        body: bytesOf("<p>A note, changed.</p>"),
        contentLength: null,
        mimeType: "text/html",
        metadata: null,
      }),
    async (world, rag) => {
      expect(await world.shown(rag)).toEqual({ "a.html": ["A note, changed."] });
      expect(await world.counters(rag)).toMatchObject({ indexed: 1, pending: 0, vectors: 1 });
    },
  );
});
