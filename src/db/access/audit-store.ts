import { readKeyedPage, countUpTo, type KeyedPage, type PageAt, type Slice } from "../page.ts";
import { auditEvents } from "../schema/index.ts";
import { columnsOf, select, rowAsSelect, values, text, type Row, orNull } from "../select.ts";
import { execute, joinSql, readRows, sql, raw, runBatch, type Database } from "../sql.ts";

const EVENT = select(columnsOf(auditEvents));
export type AuditEvent = Row<typeof EVENT>;

/** If an event with this id exists, its count grows by this one's; the rest is that of the last. */
export const insertionOf = (event: AuditEvent) =>
  sql`insert into audit_events ${values(auditEvents, event)} on conflict (id) do update
    set count = count + excluded.count, at = excluded.at, status = excluded.status,
      target = excluded.target, address = excluded.address, request_id = excluded.request_id,
      changes = excluded.changes, fields = excluded.fields`;

/** An event of the statement before it in the batch, if that changed a row. */
export const insertionAfterChange = (event: AuditEvent) =>
  sql`insert into audit_events ${rowAsSelect(auditEvents, event)} where changes() > 0`;

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
  const restrictions = conditions.filter((condition) => condition !== false);
  return sql`from audit_events where ${joinSql(restrictions, " and ")}`;
}

/** Events, the latest first. */
export const readEvents = (db: Database, filter: AuditFilter, { offset, limit }: Slice) =>
  readRows(db)`select ${EVENT} ${fromEvents(filter)} order by at desc, id desc
    limit ${limit} offset ${offset}`;

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

/** The tables of what events name, by the first word of their action. */
const TABLES = {
  "file-sources": { table: "file_sources", name: "name", identifier: "identifier" },
  rags: { table: "rags", name: "name", identifier: "identifier" },
  inferences: { table: "inferences", name: "name", identifier: "identifier" },
  agents: { table: "agents", name: "name", identifier: "identifier" },
  "question-sets": { table: "question_sets", name: "name", identifier: "identifier" },
  tokens: { table: "tokens", name: "name", identifier: "id" },
  "event-endpoints": { table: "event_endpoints", name: "url", identifier: "id" },
  keys: { table: "keys", name: "name", identifier: "id" },
  users: { table: "users", name: "email", identifier: "email" },
};
type Kind = keyof typeof TABLES;
const isKind = (kind: string): kind is Kind => Object.hasOwn(TABLES, kind);

const NAMED = select({
  kind: text("kind"),
  id: text("id"),
  identifier: orNull(text("identifier")),
  name: text("name"),
});
export type ThingName = Row<typeof NAMED>;

/** Names the subject of an event: "rags" and an id or identifier. */
export type Thing = { kind: string; key: string };

export const thingOf = ({ action, target }: { action: string; target: string | null }): Thing => {
  const [kind = ""] = action.split(".", 1);
  const [key = ""] = (target ?? "").split("/", 1);
  return { kind, key };
};

/** Those of the things that there still are, with their names. Reads at most two rows of each. */
export async function namesOf(db: Database, things: readonly Thing[]): Promise<ThingName[]> {
  const byKind = Map.groupBy(things, ({ kind }) => kind);
  const statements = [...byKind].flatMap(([kind, ofKind]) => {
    if (!isKind(kind)) return [];
    const { table, name, identifier } = TABLES[kind];
    const keys = [...new Set(ofKind.map(({ key }) => key))];
    return [
      sql`select ${NAMED} from (${raw(`select '${kind}' as kind, id, ${identifier} as identifier,
        ${name} as name from ${table}`)}) where id in (select value from json_each(${keys}))
        or identifier in (select value from json_each(${keys}))`,
    ];
  });
  // One statement would be a union of more parts than D1 takes.
  return (await runBatch(db, statements)).flat();
}

export const nameOf = (names: readonly ThingName[], { kind, key }: Thing): ThingName | undefined =>
  names.find((name) => name.kind === kind && (name.id === key || name.identifier === key));
