import { expect, test } from "vitest";

import { sendEvents } from "../../../src/catalog/event-endpoints/send-events.ts";
import { HOUR_MS, SECOND_MS } from "../../../src/core/time.ts";
import { purgeTakenEvents } from "../../../src/db/catalog/event-store.ts";
import { aroundCalls } from "../../support/crash.ts";
import { Dice } from "../../support/dice.ts";
import { ragWorld } from "../../support/ingestion-world.ts";
import { addEndpoint, deliveriesOf, receiver, withReceiver } from "./world.ts";

withReceiver();

/** How a receiver answers, and after how many seconds; null: not at all. */
const ANSWERS = [
  { status: 200, seconds: 0 },
  { status: 200, seconds: 1 },
  { status: 200, seconds: 9 },
  { status: 500, seconds: 0 },
  { status: 302, seconds: 0 },
  { status: null, seconds: 0 },
  { status: null, seconds: 10 },
];

test.each([1, 2, 3])(
  "each change is told at least once, none is invented, in order, seed %d",
  async (seed) => {
    const dice = new Dice(seed * 7_919);
    dice.roll(2);
    const { world, source } = await ragWorld();
    const ids = [await addEndpoint(world), await addEndpoint(world)];
    const changes = new Set<string>();
    /** By endpoint: what it has accepted, and its deliveries in the order in which they came first. */
    const accepted = new Map(ids.map((id) => [id, new Set<string>()]));
    const order = new Map(ids.map((id) => [id, new Set<string>()]));
    let isCalm = false;
    receiver.answer = ({ id, type, url, data }) => {
      const endpoint = url.split("/").at(-1) ?? "";
      order.get(endpoint)?.add(id);
      const { status, seconds } = dice.pick(isCalm ? ANSWERS.slice(0, 1) : ANSWERS);
      world.now += seconds * SECOND_MS;
      const files = status === 200 ? (data.files ?? []) : [];
      for (const { path } of files) accepted.get(endpoint)?.add(`${type} ${path}`);
      return status;
    };
    /** Dies before or after one call in ten. */
    const services = aroundCalls(world.services, async (go) => {
      if (!isCalm && dice.chance(0.1)) throw new Error("died before");
      const answer = await go();
      if (!isCalm && dice.chance(0.1)) throw new Error("died after");
      return answer;
    });
    const send = async () => {
      world.now += dice.pick([1, 3, 10, 400]) * SECOND_MS;
      for (const id of ids) await sendEvents(services, id).catch(() => undefined);
      if (dice.chance(0.3)) await purgeTakenEvents(world.services.db);
    };
    for (let step = 0; step < 12; step++) {
      const isReadable = dice.chance(0.5);
      const path = `${step}.${isReadable ? "md" : "pdf"}`;
      await world.putAndIndex(source, { [path]: isReadable ? "A note." : "%PDF-1.7 and no more" });
      changes.add(`${isReadable ? "file.indexed" : "file.failed"} ${path}`);
      if (dice.chance(0.4)) {
        await world.drop(source, path);
        changes.add(`file.removed ${path}`);
      }
      if (dice.chance(0.6)) await send();
    }
    isCalm = true;
    for (let hours = 0; hours < 90; hours += 6) {
      world.now += 6 * HOUR_MS;
      await send();
    }
    for (const id of ids) {
      expect(accepted.get(id)).toEqual(changes);
      const deliveries = await deliveriesOf(id);
      expect([...(order.get(id) ?? [])]).toEqual(deliveries.map((delivery) => delivery.id));
    }
  },
);
