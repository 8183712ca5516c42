import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";

import { changeEndpoint, renewSecret } from "../../../src/catalog/event-endpoints/endpoints.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/core/time.ts";
import { purgeTakenEvents } from "../../../src/db/catalog/event-store.ts";
import { ragWorld, rowsOf, statement, World } from "../../support/ingestion-world.ts";
import { listedWorld } from "../sources/scanning.ts";
import {
  addEndpoint,
  deliveriesOf,
  emit,
  endpointOf,
  receiver,
  SECRET,
  sendLater,
  withReceiver,
  type Told,
} from "./world.ts";

withReceiver();

test("files are told with source, RAG and reason, signed as the library verifies it", async () => {
  const { world, source, rag } = await ragWorld();
  const id = await addEndpoint(world);
  await world.putAndIndex(source, { "a.md": "A note." });
  await world.putAndIndex(source, { "b.pdf": "%PDF-1.7 and no more" });
  await world.drop(source, "a.md");
  await sendLater(world, id);
  const names = {
    source: { id: source, identifier: source, name: "S" },
    rag: { id: rag, identifier: rag, name: "R" },
    more: 0,
  };
  const error: unknown = expect.stringMatching(/\w/);
  expect(receiver.events.map(({ type, data }) => [type, data])).toEqual([
    ["file.indexed", { ...names, files: [{ path: "a.md" }] }],
    ["file.failed", { ...names, files: [{ path: "b.pdf", error }] }],
    ["file.removed", { ...names, files: [{ path: "a.md" }] }],
  ]);
  for (const { body, headers } of receiver.events) {
    const headerValues = Object.fromEntries(headers);
    expect(new Webhook(SECRET).verify(body, headerValues)).toEqual(JSON.parse(body));
    expect(() => new Webhook(SECRET).verify(`${body} `, headerValues)).toThrow(
      "No matching signature",
    );
  }
  await sendLater(world, id);
  expect(receiver.events).toHaveLength(3);
  await purgeTakenEvents(world.services.db);
  expect(await rowsOf("select * from events")).toEqual([]);
});

test("a file that moved is removed from its old path, once", async () => {
  const { reader, world, scan } = await listedWorld({});
  reader.set({ "a.txt": { text: "A note.", externalId: "1" } });
  await scan();
  const id = await addEndpoint(world, { events: ["file.indexed", "file.removed"] });
  reader.set({ "b.txt": { text: "A note.", externalId: "1" } });
  await scan();
  await sendLater(world, id);
  const events = receiver.events.map(({ type, data }) => [
    type,
    data.files?.map(({ path }) => path),
  ]);
  expect(events).toEqual([
    ["file.removed", ["a.txt"]],
    ["file.indexed", ["b.txt"]],
  ]);
});

test("without an enabled endpoint, a change writes no event", async () => {
  const { world, source } = await ragWorld();
  const id = await addEndpoint(world, { enabled: false });
  await world.putAndIndex(source, { "a.md": "A note." });
  await emit(world, "one");
  expect(await rowsOf("select * from events")).toEqual([]);
  await sendLater(world, id);
  expect(receiver.events).toEqual([]);
});

test("for a day, a renewed secret signs together with those before", async () => {
  const world = new World({ wakeSender: async () => undefined });
  const id = await addEndpoint(world);
  const secret = await renewSecret(world.services, await endpointOf(world, id));
  const verifies = (key: string) => {
    const { body, headers } = receiver.events.at(-1) as Told;
    return () => new Webhook(key).verify(body, Object.fromEntries(headers));
  };
  await emit(world, "one");
  await sendLater(world, id);
  expect(verifies(secret)).not.toThrow();
  expect(verifies(SECRET)).not.toThrow();
  const latest = await renewSecret(world.services, await endpointOf(world, id));
  await emit(world, "renewed again");
  await sendLater(world, id);
  for (const key of [SECRET, secret, latest]) expect(verifies(key)).not.toThrow();
  vi.setSystemTime(world.now + DAY_MS);
  await emit(world, "two");
  await sendLater(world, id, DAY_MS);
  expect(verifies(latest)).not.toThrow();
  for (const key of [SECRET, secret]) expect(verifies(key)).toThrow("No matching signature");
});

test("an endpoint is told of its types and RAGs, and of nothing else", async () => {
  const { world, source, rag } = await ragWorld();
  const scoped = await world.addRag(source, ["only/"]);
  const second = await world.addSourceAndRag();
  const ids = {
    all: await addEndpoint(world),
    ofRag: await addEndpoint(world, { ragIdentifiers: [scoped] }),
    scans: await addEndpoint(world, { events: ["scan.finished", "rag.paused"] }),
    none: await addEndpoint(world, { ragIdentifiers: ["no-such-rag"] }),
  };
  await world.putAndIndex(source, { "only/a.md": "A note.", "b.md": "Another note." });
  await world.putAndIndex(second.source, { "c.md": "A third note." });
  await emit(world, "one");
  await statement("update rags set status = 'paused' where id in (?1, ?2)", rag, scoped).run();
  await statement(
    "insert into scan_runs (id, file_source_id, started_at) values ('1', ?1, 1)",
    source,
  ).run();
  await statement("update scan_runs set finished_at = 2, added = 2 where id = '1'").run();
  const toldTo = async (id: string) => {
    const before = receiver.events.length;
    await sendLater(world, id);
    return receiver.events.slice(before).map(({ type, data }) => ({
      type,
      paths: data.files?.map(({ path }) => path).toSorted(),
      rag: data.rag?.id,
    }));
  };
  const scan = { type: "scan.finished" };
  expect(await toldTo(ids.all)).toEqual([
    { type: "file.indexed", paths: ["b.md", "only/a.md"] },
    { type: "file.indexed", paths: ["c.md"], rag: second.rag },
    { type: "export.finished" },
    { type: "rag.paused", rag },
    { type: "rag.paused", rag: scoped },
    scan,
  ]);
  expect(await toldTo(ids.ofRag)).toEqual([
    { type: "file.indexed", paths: ["only/a.md"], rag: scoped },
    { type: "rag.paused", rag: scoped },
    scan,
  ]);
  expect(await toldTo(ids.scans)).toEqual([
    { type: "rag.paused", rag },
    { type: "rag.paused", rag: scoped },
    scan,
  ]);
  expect(await toldTo(ids.none)).toEqual([]);
});

const HOURS = [0, 0, 0.5, 2, 5, 10, 14, 20, 24];

test("tries follow for three days, with one id; then the endpoint is disabled", async () => {
  const world = new World();
  const id = await addEndpoint(world);
  receiver.answer = () => 500;
  await emit(world, "one");
  await sendLater(world, id);
  for (const [at, hours] of HOURS.entries()) {
    const wait = [5 * SECOND_MS, 5 * MINUTE_MS][at] ?? hours * HOUR_MS;
    const tries = receiver.events.length;
    await sendLater(world, id, wait - 1);
    expect(receiver.events).toHaveLength(tries);
    expect((await endpointOf(world, id)).enabled).toBe(true);
    await sendLater(world, id, 1);
    expect(receiver.events).toHaveLength(tries + 1);
  }
  expect(new Set(receiver.events.map((event) => event.id)).size).toBe(1);
  expect(await deliveriesOf(id)).toMatchObject([{ status: "failed", tries: 10, answer: "500" }]);
  expect(await endpointOf(world, id)).toMatchObject({ enabled: false });
  expect((await endpointOf(world, id)).failingSince).not.toBe(null);
});

test("one that fails holds back none, and 410 ends the endpoint until it is enabled", async () => {
  const world = new World({ wakeSender: async () => undefined });
  const id = await addEndpoint(world);
  for (const name of ["one", "two", "three", "four"]) await emit(world, name);
  const answers = [null, 302, 204, 410];
  receiver.answer = () => (answers.length > 0 ? (answers.shift() ?? null) : 204);
  await sendLater(world, id);
  const names = receiver.events.map(({ body }) => /"name":"(\w+)"/.exec(body)?.[1] ?? "");
  expect(names).toEqual(["one", "two", "three", "four"]);
  const state = (await deliveriesOf(id)).map(({ status, answer }) => `${status} ${answer}`);
  expect(state.slice(0, 3)).toEqual([
    "waiting the connection to hooks.example.com failed",
    "waiting 302",
    "delivered 204",
  ]);
  expect((await endpointOf(world, id)).enabled).toBe(false);
  await emit(world, "unheard");
  await sendLater(world, id, DAY_MS);
  expect(receiver.events).toHaveLength(4);
  await changeEndpoint(world.services, await endpointOf(world, id), { enabled: true });
  await emit(world, "five");
  await sendLater(world, id);
  await sendLater(world, id);
  const later = receiver.events.slice(4).map(({ body }) => /"name":"(\w+)"/.exec(body)?.[1] ?? "");
  expect(later.toSorted()).toEqual(["five", "four", "one", "two"]);
  expect(await endpointOf(world, id)).toMatchObject({ enabled: true, failingSince: null });
});

test("a hundred deliveries that are tried again do not hold back a new one", async () => {
  const world = new World();
  const id = await addEndpoint(world);
  receiver.answer = () => 500;
  for (let at = 0; at <= 100; at++) await emit(world, `old${at}`);
  await sendLater(world, id);
  await sendLater(world, id, SECOND_MS);
  expect(receiver.events).toHaveLength(101);
  await emit(world, "new");
  await sendLater(world, id);
  expect(receiver.events[101]?.body).toContain('"name":"new"');
});

test("10,000 files indexed in a minute are told in a few deliveries of 100 each", async () => {
  const { world, source, rag } = await ragWorld();
  const id = await addEndpoint(world);
  await statement(
    `insert into files (id, file_source_id, path, name, size, mime_type, version, metadata, created_at)
      with recursive n(at) as (select 1 union all select at + 1 from n where at < 10000)
      select 'many-' || at, ?1, at || '.md', at, 1, 'text/markdown', '1', '{}', 0 from n`,
    source,
  ).run();
  await statement(
    `insert into rag_files (rag_id, generation, file_id, path, status, revision)
      select ?1, 1, id, path, 'pending', 1 from files where file_source_id = ?2`,
    rag,
    source,
  ).run();
  for (let batch = 0; batch < 20; batch++) {
    await statement(
      `update rag_files set status = 'indexed' where rag_id = ?1 and file_id in (
        select file_id from rag_files where rag_id = ?1 and status = 'pending' limit 500)`,
      rag,
    ).run();
    await sendLater(world, id, 3 * SECOND_MS);
  }
  await sendLater(world, id);
  const files = receiver.events.flatMap(({ data }) => data.files ?? []);
  const more = receiver.events.reduce((sum, { data }) => sum + (data.more ?? 0), 0);
  expect(files.length + more).toBe(10_000);
  expect(receiver.events.length).toBeLessThan(10);
  expect(Math.max(...receiver.events.map(({ data }) => data.files?.length ?? 0))).toBe(100);
});

test("a file that only a new index has read is told when that index answers", async () => {
  const { world, source, rag } = await ragWorld();
  const id = await addEndpoint(world);
  await world.put(source, "a.md", "A note.");
  world.waiting = [];
  await statement(
    `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
        chunk_size, chunk_overlap, format, created_at)
      select rag_id, 2, 'building', embedding_model, dimensions, chunk_size, chunk_overlap, format, 0
      from rag_generations where rag_id = ?1`,
    rag,
  ).run();
  await statement(
    `insert into rag_files (rag_id, generation, file_id, path, status, revision)
      select rag_id, 2, file_id, path, 'pending', revision from rag_files where rag_id = ?1`,
    rag,
  ).run();
  await statement(
    "update rag_files set status = 'indexed' where rag_id = ?1 and generation = 2",
    rag,
  ).run();
  await sendLater(world, id);
  expect(receiver.events).toEqual([]);
  await statement(
    "update rag_generations set state = 'live' where rag_id = ?1 and generation = 2",
    rag,
  ).run();
  await sendLater(world, id);
  const events = receiver.events.map(({ type, data }) => [type, data.files?.[0]?.path]);
  expect(events).toEqual([
    ["file.indexed", "a.md"],
    ["rag.rebuilt", undefined],
  ]);
});
