import type { Database } from "../client.ts";
import { nullable, number, oneOf, row, text, textList, type Row } from "../columns.ts";
import { readKeyedPage, type KeyedPage, type PageAt } from "../keyset.ts";
import { readRows, runBatch, statement } from "../raw-sql.ts";
import { ACTOR_KINDS } from "../schema/access.ts";

const EVENT = row({
  id: text,
  at: number,
  actorKind: oneOf(ACTOR_KINDS),
  actorId: nullable(text),
  actorName: nullable(text),
  action: text,
  target: nullable(text),
  fields: textList,
  status: number,
  address: text,
  requestId: text,
  count: number,
});
export type AuditEvent = Row<typeof EVENT>;

const COLUMNS = `id, at, actor_kind as actorKind, actor_id as actorId, actor_name as actorName,
  action, target, fields, status, address, request_id as requestId, count`;

/** If an event with this id exists, its count grows by this one's. */
export async function insertEvent(db: Database, event: AuditEvent): Promise<void> {
  await runBatch(db, [
    statement(
      `insert into audit_events (id, at, actor_kind, actor_id, actor_name, action, target, fields,
         status, address, request_id, count)
       values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
       on conflict (id) do update set count = count + excluded.count`,
      event.id,
      event.at,
      event.actorKind,
      event.actorId,
      event.actorName,
      event.action,
      event.target,
      JSON.stringify(event.fields),
      event.status,
      event.address,
      event.requestId,
      event.count,
    ),
  ]);
}

/** Each filter has an index that continues in order of time. Times in ms; `to` is exclusive. */
export type AuditFilter = {
  actor: string | null;
  action: string | null;
  from: number | null;
  to: number | null;
};

function conditionOf({ actor, action, from, to }: AuditFilter, after: number) {
  const parameters: (string | number)[] = [];
  const conditions = ["1"];
  const add = (sql: string, value: string | number | null) => {
    if (value === null) return;
    parameters.push(value);
    conditions.push(sql.replace("?", `?${after + parameters.length}`));
  };
  add("actor_id = ?", actor);
  add("action = ?", action);
  add("at >= ?", from);
  add("at < ?", to);
  return { sql: conditions.join(" and "), parameters };
}

/** Events, the latest first. */
export async function readEvents(
  db: Database,
  filter: AuditFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<AuditEvent[]> {
  const { sql, parameters } = conditionOf(filter, 2);
  return await readRows(
    db,
    EVENT,
    `select ${COLUMNS} from audit_events where ${sql} order by at desc, id desc
     limit ?1 offset ?2`,
    limit,
    offset,
    ...parameters,
  );
}

/** The events before this one in the same order, for reading all events. */
export async function readEventsBefore(
  db: Database,
  filter: AuditFilter,
  last: { at: number; id: string } | null,
  limit: number,
): Promise<AuditEvent[]> {
  const { sql, parameters } = conditionOf(filter, 3);
  return await readRows(
    db,
    EVENT,
    `select ${COLUMNS} from audit_events
     where ${sql} and (?2 is null or (at <= ?2 and (at, id) < (?2, ?3)))
     order by at desc, id desc limit ?1`,
    limit,
    last?.at ?? null,
    last?.id ?? null,
    ...parameters,
  );
}

/** A page of the same order, by keys. */
export async function readEventPage(
  db: Database,
  filter: AuditFilter,
  at: PageAt,
): Promise<KeyedPage<AuditEvent>> {
  const { sql, parameters } = conditionOf(filter, 0);
  return await readKeyedPage(db, at, {
    read: EVENT,
    sql: `select ${COLUMNS} from audit_events where ${sql}`,
    parameters,
    columns: ["at", "id"],
    order: "desc",
    keyOf: (event) => [event.at, event.id],
  });
}

const COUNT = row({ total: number });

/** The number of events; counting stops at `max`. */
export async function countEvents(db: Database, filter: AuditFilter, max: number): Promise<number> {
  const { sql, parameters } = conditionOf(filter, 1);
  const [counted] = await readRows(
    db,
    COUNT,
    `select count(*) as total from (select 1 from audit_events where ${sql} limit ?1)`,
    max,
    ...parameters,
  );
  return counted?.total ?? 0;
}

/** A larger batch would block the database for too long. */
const PURGED_AT_ONCE = 5_000;

export async function purgeEvents(db: Database, before: number): Promise<void> {
  await runBatch(db, [
    statement(
      `delete from audit_events where id in (
         select id from audit_events where at < ?1 order by at limit ?2)`,
      before,
      PURGED_AT_ONCE,
    ),
  ]);
}
