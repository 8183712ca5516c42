import { env } from "cloudflare:workers";
import { beforeEach, vi } from "vitest";

import { seal } from "../../../src/access/seal.ts";
import { sendEvents } from "../../../src/catalog/event-endpoints/send-events.ts";
import { SECOND_MS } from "../../../src/core/time.ts";
import * as store from "../../../src/db/catalog/event-store.ts";
import { runBatch } from "../../../src/db/sql.ts";
import { rowsOf, statement, type World } from "../../support/ingestion-world.ts";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

type Data = { files?: { path: string; error?: string }[]; more?: number; rag?: { id: string } };
export type Told = {
  id: string;
  type: string;
  data: Data;
  url: string;
  headers: Headers;
  body: string;
};

/** Events that arrived, and the status that answers them; null: the connection breaks. */
export const receiver = { events: [] as Told[], answer: (_told: Told): number | null => 204 };

/** Before each test: no endpoints, no events, and everything is accepted. */
export const withReceiver = () => beforeEach(listen);

async function listen(): Promise<void> {
  await env.DB.batch(
    ["events", "event_endpoints"].map((table) => statement(`delete from ${table}`)),
  );
  receiver.events = [];
  receiver.answer = () => 204;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    const headers = new Headers(init?.headers);
    const body = textOf(init?.body);
    const { type, data } = JSON.parse(body) as Pick<Told, "type" | "data">;
    const id = headers.get("webhook-id") ?? "";
    const event = { id, type, data, url: textOf(url), headers, body };
    receiver.events.push(event);
    const status = receiver.answer(event);
    if (status === null) throw new TypeError("the connection was reset");
    return new Response(null, { status, headers: { location: "https://elsewhere.example.com" } });
  });
}

const textOf = (part: unknown) => (typeof part === "string" ? part : "");

type Endpoint = Parameters<typeof store.insertEndpoint>[1];
let endpoints = 0;

export async function addEndpoint(
  { services }: World,
  change: Partial<Endpoint> = {},
): Promise<string> {
  const id = `endpoint-${++endpoints}`;
  const sealedSecret = await seal(services.config, SECRET);
  const url = `https://hooks.example.com/${id}`;
  const usual = { events: ["*"], ragIdentifiers: [], enabled: true, sealedSecret };
  await store.insertEndpoint(services.db, { ...usual, id, url, ...change });
  return id;
}

export const endpointOf = async ({ services }: World, id: string) => {
  const endpoint = await store.findEndpoint(services.db, id);
  if (endpoint === null) throw new Error("there is no such endpoint");
  return endpoint;
};

/** Writes an event that no trigger writes. */
export const emit = async ({ services, now }: World, name: string) => {
  const event = { type: "export.finished", at: now, data: { export: { name } } };
  await runBatch(services.db, [store.insertionOfEvent(event)]);
};

export const deliveriesOf = async (endpointId: string) =>
  await rowsOf<store.Delivery & { next_at: number }>(
    "select * from event_deliveries where endpoint_id = ?1 order by place",
    endpointId,
  );

/** Ten seconds later, unless it is said how much. */
export async function sendLater(world: World, id: string, ms = 10 * SECOND_MS): Promise<void> {
  world.now += ms;
  await sendEvents(world.services, id);
}
