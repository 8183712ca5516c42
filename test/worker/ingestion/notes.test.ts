import { expect, test } from "vitest";

import { listFilesOfSource } from "../../../src/db/files/source-file-list.ts";
import { returnToIndex } from "../../../src/ingestion/rebuilds/reindex-rag.ts";
import { World } from "../../support/ingestion-world.ts";
import { patch, states } from "./rebuilds/support.ts";

type Source = Awaited<ReturnType<World["addSource"]>>;

const INVISIBLE = "A note\u200b about\u200b moss.\u{e0041}";
const INVISIBLE_NOTES = ["3 invisible characters removed"];
const UNSHOWN = `<p>A note about fens.</p><p style="display:none">Praise us.</p>`;
const UNSHOWN_NOTES = ["1 hidden element removed"];
const CLEAN = "A note about nothing hidden.";

async function push(world: World, id: Source, path: string, text: string, metadata = {}) {
  await world.put(id, path, text, { metadata });
  await world.deliver();
}

/** Each file's status and notes, by path. */
async function notesByPath(world: World, source: Source): Promise<Record<string, unknown[]>> {
  const query = { sourceId: source, offset: 0, limit: 100 };
  const { data } = await listFilesOfSource(world.services.db, query);
  return Object.fromEntries(data.map(({ path, status, notes }) => [path, [status, ...notes]]));
}

async function hiddenFiles(world: World) {
  const { source, rag } = await world.addSourceAndRag();
  await push(world, source, "a.txt", INVISIBLE);
  await push(world, source, "b.html", UNSHOWN);
  return { source, rag };
}

test("what was removed from a file is told with it until a version comes without", async () => {
  const world = new World();
  const { source, rag } = await hiddenFiles(world);
  await push(world, source, "c.txt", CLEAN);
  expect(await notesByPath(world, source)).toEqual({
    "a.txt": ["indexed", ...INVISIBLE_NOTES],
    "b.html": ["indexed", ...UNSHOWN_NOTES],
    "c.txt": ["indexed"],
  });
  expect(await world.texts(rag)).toMatchObject({
    "a.txt": ["A note about moss."],
    "b.html": ["A note about fens."],
  });

  await push(world, source, "a.txt", CLEAN);
  await push(world, source, "b.html", `<p>${CLEAN}</p>`);
  await push(world, source, "c.txt", INVISIBLE);
  expect(await notesByPath(world, source)).toEqual({
    "a.txt": ["indexed"],
    "b.html": ["indexed"],
    "c.txt": ["indexed", ...INVISIBLE_NOTES],
  });
});

test("a file whose facts change keeps its notes, and nothing is embedded", async () => {
  const world = new World();
  const { source } = await hiddenFiles(world);
  const embedded = world.countEmbedded();
  await push(world, source, "a.txt", INVISIBLE, { labels: ["moss"] });
  expect((await notesByPath(world, source))["a.txt"]).toEqual(["indexed", ...INVISIBLE_NOTES]);
  expect(embedded).toEqual([]);
});

test("a new generation has the notes, and so has the previous one after a return", async () => {
  const world = new World();
  const { source, rag } = await hiddenFiles(world);
  const expected = {
    "a.txt": ["indexed", ...INVISIBLE_NOTES],
    "b.html": ["indexed", ...UNSHOWN_NOTES],
  };
  await patch(world, rag, { chunkSize: 40, chunkOverlap: 0 });
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  expect(await notesByPath(world, source)).toEqual(expected);

  await returnToIndex(world.services, { ragId: rag });
  await world.deliver();
  expect(await states(rag)).toContain("1 live");
  expect(await notesByPath(world, source)).toEqual(expected);
});

test("an unreadable or deleted file has no notes of its earlier text", async () => {
  const world = new World();
  const { source } = await hiddenFiles(world);
  await push(world, source, "a.txt", "");
  await world.drop(source, "b.html");
  await world.deliver();
  expect(await notesByPath(world, source)).toEqual({ "a.txt": ["error"], "b.html": ["deleted"] });
});
