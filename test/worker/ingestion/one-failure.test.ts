import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { FileId, FileSourceId } from "../../../src/core/ids.ts";
import { DAY_MS, HOUR_MS } from "../../../src/core/time.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { removeDeletedFiles } from "../../../src/ingestion/removal/remove-from-indexes.ts";
import { World, keysOf, rowsOf, statement } from "../../support/ingestion-world.ts";

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
  return { world, told: world.logged("error") };
}

test("a source whose replaced bytes cannot be deleted is told and holds up none", async () => {
  let broken: FileSourceId | null = null;
  const { world, told } = worldWithLog(() => broken);
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
  expect(told).toEqual([["replaced contents not deleted", facts]]);

  // It waits an hour, then is tried again.
  await sweep(world.services);
  expect(told).toHaveLength(1);
  const id = broken;
  broken = null;
  world.now += HOUR_MS;
  await sweep(world.services);
  expect(await keysOf(id)).toHaveLength(1);
});

test("a source whose bytes cannot be listed is told and holds up none", async () => {
  let broken: FileSourceId | null = null;
  const { world, told } = worldWithLog(() => broken);
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
  expect(told).toEqual([["interrupted uploads not checked", facts]]);

  broken = null;
  world.now += HOUR_MS;
  await sweep(world.services);
  expect(await keysOf(ids[0])).toEqual([]);
});

test("an index that does not answer keeps no removal of another index open", async () => {
  const { world, told } = worldWithLog(() => null);
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
  expect(await world.shown(sound)).toEqual({});
  expect(told).toMatchObject([["files not removed from an index", { ragId: broken }]]);

  // A scan that removes more files goes on.
  await world.putAndIndex(source, { [PATH]: "Another note." });
  const files = await rowsOf<{ id: FileId }>(
    "select id from files where file_source_id = ?",
    source,
  );
  const all = files.map(({ id }) => id);
  expect(await removeDeletedFiles(world.services, all, world.now + 1)).toBe(1);
  expect(await world.shown(sound)).toEqual({});

  world.services.ragIndexes = ragIndexes;
  world.now += HOUR_MS;
  await sweep(world.services);
  expect(await world.shown(broken)).toEqual({});
});
