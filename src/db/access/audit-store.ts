import { execute, joined, readRows, sql, type Database } from "../sql.ts";
import { readKeyedPage, countUpTo, type KeyedPage, type PageAt, type Slice } from "../page.ts";
import { auditEvents } from "../schema/index.ts";
import { columnsOf, select, values, type Row } from "../select.ts";

const EVENT = select(columnsOf(auditEvents));
export type AuditEvent = Row<typeof EVENT>;

/** If an event with this id exists, its count grows by this one's. */
export async function insertEvent(db: Database, event: AuditEvent): Promise<void> {
  await execute(db)`insert into audit_events ${values(auditEvents, event)}
    on conflict (id) do update set count = count + excluded.count`;
}

/** Each filter has an index that continues in order of time. Times in ms; `to` is exclusive. */
export type AuditFilter = {
  actor: string | null;
  action: string | null;
  from: number | null;
  to: number | null;
  /** Events of one thing: its id and its identifier, and the first word of their actions. */
  thing?: { kind: string; keys: string[] } | null;
};

function fromEvents({ actor, action, from, to, thing = null }: AuditFilter) {
  const conditions = [
    sql`1`,
    actor !== null && sql`actor_id = ${actor}`,
    action !== null && sql`action = ${action}`,
    from !== null && sql`at >= ${from}`,
    to !== null && sql`at < ${to}`,
    // "/" follows ".": all actions of the kind are between them.
    thing !== null &&
      sql`target in (select value from json_each(${thing.keys}))
        and action > ${`${thing.kind}.`} and action < ${`${thing.kind}/`}`,
  ];
  const given = conditions.filter((condition) => condition !== false);
  return sql`from audit_events where ${joined(given, " and ")}`;
}

/** Events, the latest first. */
export const readEvents = (db: Database, filter: AuditFilter, { offset, limit }: Slice) =>
  readRows(db, EVENT)`select ${EVENT} ${fromEvents(filter)} order by at desc, id desc
    limit ${limit} offset ${offset}`;

/** The events before this one in the same order, for reading all events. */
export async function readEventsBefore(
  db: Database,
  filter: AuditFilter,
  last: { at: number; id: string } | null,
  limit: number,
): Promise<AuditEvent[]> {
  const before =
    last === null ? sql`1` : sql`at <= ${last.at} and (at, id) < (${last.at}, ${last.id})`;
  return await readRows(db, EVENT)`select ${EVENT} ${fromEvents(filter)} and ${before}
    order by at desc, id desc limit ${limit}`;
}

/** A page of the same order, by keys. */
export async function readEventPage(
  db: Database,
  filter: AuditFilter,
  at: PageAt,
): Promise<KeyedPage<AuditEvent>> {
  return await readKeyedPage(db, at, {
    of: EVENT,
    from: fromEvents(filter),
    columns: ["at", "id"],
    order: "desc",
    keyOf: (event) => [event.at, event.id],
  });
}

/** The number of events; counting stops at `max`. */
export const countEvents = (db: Database, filter: AuditFilter, max: number) =>
  countUpTo(db, max, fromEvents(filter));

/** A larger batch would block the database for too long. */
const PURGED_AT_ONCE = 5_000;

export const purgeEvents = (db: Database, before: number) =>
  execute(db)`delete from audit_events where id in (
    select id from audit_events where at < ${before} order by at limit ${PURGED_AT_ONCE})`;
