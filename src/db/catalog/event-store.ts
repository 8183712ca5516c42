import { readPage, type Slice } from "../page.ts";
import { eventDeliveries, eventEndpoints } from "../schema/index.ts";
import { assignSql, columnsOf, select, UPDATED, values, type Row } from "../select.ts";
import { execute, readRow, readRows, runBatch, sql, type Database, type Sql } from "../sql.ts";

const ENDPOINT = select(columnsOf(eventEndpoints));
export type EventEndpoint = Row<typeof ENDPOINT>;
const DELIVERY = select(columnsOf(eventDeliveries));
export type Delivery = Row<typeof DELIVERY>;

/** An event that no trigger writes. `at`: ms; `data`: fields of its body, without secrets. */
export type NewEvent = { type: string; at: number; data: object };

/** Belongs to the batch of the change. Writes no row while no endpoint is enabled. */
export const insertionOfEvent = ({ type, at, data }: NewEvent): Sql =>
  sql`insert into events (type, at, data) select ${type}, ${at}, ${data}
    where exists (select 1 from event_endpoints where enabled)`;

export const listEndpoints = (db: Database) =>
  readRows(db)`select ${ENDPOINT} from event_endpoints order by id`;

export const findEndpoint = (db: Database, id: string) =>
  readRow(db)`select ${ENDPOINT} from event_endpoints where id = ${id}`;

export const insertEndpoint = (db: Database, endpoint: typeof eventEndpoints.$inferInsert) =>
  execute(db)`insert into event_endpoints ${values(eventEndpoints, endpoint)}`;

export const updateEndpoint = (db: Database, id: string, change: Partial<EventEndpoint>) =>
  readRow(db)`update event_endpoints set ${assignSql(eventEndpoints, { ...change, id })}, ${UPDATED}
    where id = ${id} returning ${ENDPOINT}`;

export const deleteEndpoint = (db: Database, id: string) =>
  execute(db)`delete from event_endpoints where id = ${id}`;

/** Events are taken so often, and those of files gathered meanwhile, ms. */
export const GATHER_MS = 10_000;
const TRIES_AT_ONCE = 100;

/**
 * Takes events, of which a trigger makes deliveries. Not while a first try waits: for a slow
 * receiver, more are gathered. Returns the endpoint, if it is enabled, and what is due: first tries
 * in order, then others. Each part is found by its own index, however many wait.
 */
export async function takeEvents(db: Database, endpointId: string, now: number) {
  const waiting = sql`event_deliveries where endpoint_id = ${endpointId} and status = 'waiting'`;
  const [, [endpoint], first, later] = await runBatch(db, [
    sql`update event_endpoints set taken_at = ${now} where id = ${endpointId} and enabled
      and abs(${now} - taken_at) >= ${GATHER_MS} and taken_up_to < (select max(id) from events)
      and not exists (select 1 from ${waiting} and tries = 0)`,
    sql`select ${ENDPOINT} from event_endpoints where id = ${endpointId} and enabled`,
    sql`select ${DELIVERY} from ${waiting} and tries = 0 order by place limit ${TRIES_AT_ONCE}`,
    sql`select ${DELIVERY} from ${waiting} and tries > 0 and next_at <= ${now} order by next_at
      limit ${TRIES_AT_ONCE}`,
  ]);
  return { endpoint, due: [...first, ...later] };
}

/** Records a try; a trigger does what follows from it. Returns whether the endpoint is enabled. */
export async function recordTry(
  db: Database,
  { id, endpointId }: Delivery,
  at: number,
  answer: string,
) {
  const [, enabled] = await runBatch(db, [
    sql`update event_deliveries set tries = tries + 1, next_at = ${at}, answer = ${answer}
      where id = ${id}`,
    sql`select 1 from event_endpoints where id = ${endpointId} and enabled`,
  ]);
  return enabled.length > 0;
}

export const insertDelivery = (db: Database, delivery: typeof eventDeliveries.$inferInsert) =>
  execute(db)`insert into event_deliveries ${values(eventDeliveries, delivery)}`;

export const findDelivery = (db: Database, { id }: EventEndpoint, deliveryId: string) =>
  readRow(db)`select ${DELIVERY} from event_deliveries
    where endpoint_id = ${id} and id = ${deliveryId}`;

/** The last 200, the newest first. */
export const listDeliveries = (db: Database, { id }: EventEndpoint, slice: Slice) =>
  readPage(db, DELIVERY, {
    ...slice,
    from: sql`from (select * from event_deliveries where endpoint_id = ${id}
      order by place desc limit 200)`,
    order: sql`place desc`,
  });

/** Deletes what every enabled endpoint has taken. */
export const purgeTakenEvents = (db: Database) =>
  execute(db)`delete from events where id <= coalesce(
    (select min(taken_up_to) from event_endpoints where enabled), (select max(id) from events))`;
