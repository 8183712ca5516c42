import { expect, test } from "vitest";

import {
  changeEndpoint,
  createEndpoint,
  newEndpoint,
} from "../../../src/catalog/event-endpoints/endpoints.ts";
import { takeEvents } from "../../../src/db/catalog/event-store.ts";
import { exportArchive } from "../../../src/panel/archive/export-archive.ts";
import { countedDatabase } from "../../support/counted-rows.ts";
import { ragWorld, statement, World } from "../../support/ingestion-world.ts";
import {
  addEndpoint,
  deliveriesOf,
  endpointOf,
  receiver,
  sendLater,
  withReceiver,
} from "./world.ts";

withReceiver();

test("an endpoint whose sender cannot be woken is made, shows its secret and changes", async () => {
  const world = new World({ wakeSender: () => Promise.reject(new Error("gone")) });
  const settings = newEndpoint.parse({ url: "https://hooks.example.com/unwoken" });
  const { secret } = await createEndpoint(world.services, settings, "unwoken");
  expect(secret).toMatch(/^whsec_/);
  const endpoint = await endpointOf(world, "unwoken");
  const changed = await changeEndpoint(world.services, endpoint, { enabled: false });
  expect(changed).toMatchObject({ id: "unwoken", enabled: false });
});

test("what is due of a dead endpoint is found without reading all that waits", async () => {
  const world = new World({ wakeSender: async () => undefined });
  const id = await addEndpoint(world);
  const wait = (tries: number) =>
    statement(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
        insert into event_deliveries (id, endpoint_id, type, body, status, created_at, tries, next_at)
        select ?1 || ?2 || i, ?1, 'file.indexed', '{}', 'waiting', 0, ?2, 0 from n`,
      id,
      tries,
    ).run();
  const claimDeliveries = async () => {
    const { counts, db } = countedDatabase();
    const { due } = await takeEvents(db, id, world.now);
    return { due: due.map(({ tries }) => tries), read: counts.read };
  };
  await wait(1);
  const secondClaim = await claimDeliveries();
  expect(secondClaim.due).toEqual(Array.from({ length: 100 }, () => 1));
  expect(secondClaim.read).toBeLessThan(500);
  await wait(0);
  const both = await claimDeliveries();
  expect(both.due.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => 0));
  expect(both.read).toBeLessThan(1_000);
  await changeEndpoint(world.services, await endpointOf(world, id), { enabled: false });
  expect(await deliveriesOf(id)).toHaveLength(200);
});

test("an export that was sent to its end is told, one that was cut is not", async () => {
  const { world, source, rag } = await ragWorld();
  await world.putAndIndex(source, { "a.md": "A note." });
  const id = await addEndpoint(world, { events: ["export.finished"] });
  const choice = { rags: [], sources: [source], all: false, vectors: true, access: false };
  const open = async () => await exportArchive(world.services, { ...choice, parts: "files" });
  await (await open()).cancel();
  const { byteLength: bytes } = await new Response(await open()).arrayBuffer();
  await sendLater(world, id);
  expect(receiver.events).toMatchObject([
    { type: "export.finished", data: { export: { sources: [source], rags: [rag], bytes } } },
  ]);
});
