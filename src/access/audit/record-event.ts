import { reasonOf } from "../../core/errors.ts";
import { hash32 } from "../../core/hash.ts";
import { newId } from "../../core/ids.ts";
import { HOUR_MS } from "../../core/time.ts";
import { insertionAfterChange, insertionOf, type AuditEvent } from "../../db/access/audit-store.ts";
import { runBatch, type CarriedEntry } from "../../db/sql.ts";
import type { Services } from "../../services.ts";
import type { AuditAction } from "./audit-actions.ts";
import type { FieldChange } from "./field-changes.ts";

/** Who did something. `name`: an e-mail address, or the name of a key or token. */
export type Actor = { kind: "user" | "key" | "token"; id: string; name: string | null };

/** `actor` undefined: nobody who is known. Without a request there is no id of one. */
export type NewEvent = Pick<AuditEvent, "target" | "status"> &
  Partial<Pick<AuditEvent, "address" | "requestId">> & {
    action: AuditAction;
    actor: Actor | undefined;
    changes?: FieldChange[];
  };

const columnsOf = ({ actor, changes = [], ...event }: NewEvent) => ({
  address: "",
  requestId: "",
  ...event,
  fields: changes.map(({ field }) => field),
  changes,
  actorKind: actor?.kind ?? ("none" as const),
  actorId: actor?.id ?? null,
  actorName: actor?.name ?? null,
});

type EventFacts = ReturnType<typeof columnsOf>;

/** When an event happened, and its place in the trail. */
export type EventKey = { id: string; at: number };
export const newEventKey = (at: number): EventKey => ({ id: newId(at), at });

/** The entry of the audit trail that a request leaves. */
export type AuditEntry = Pick<NewEvent, "action" | "changes"> & {
  target?: string | null;
  /** Files that one call changed: a push adds one entry an hour, with a count. */
  files?: number;
  /** Where a change in the database has carried it along. */
  carried?: CarriedEntry & { key: EventKey };
};

/** The statement that writes an event in the transaction of the change that it records. */
export const entryOf = (event: NewEvent, key: EventKey) =>
  insertionAfterChange({ ...columnsOf(event), ...key, count: 1 });

/**
 * Records what changed nothing in the database, or failed: it replaces what the transaction said.
 * A failure to write it goes to the log at error level.
 */
export async function recordEvent(
  { db, log, now }: Pick<Services, "db" | "log" | "now">,
  event: NewEvent,
  { isStored = false, ...key }: EventKey & { isStored?: boolean } = newEventKey(now()),
): Promise<void> {
  await store({ db, log }, { ...columnsOf(event), ...key, count: isStored ? 0 : 1 });
}

/** For so long an isolate counts a repeated event before it writes the count, ms. */
const GATHER_MS = 500;
/** The writer of a count may have been killed: after this time another one takes over, ms. */
const WRITER_LOST_MS = 10 * GATHER_MS;

/** Repeated events of this isolate that are counted and not yet written, by id; the last of each. */
const gathered = new Map<string, { event: EventFacts; count: number; since: number }>();

/**
 * Events of strangers at different addresses are so many in an hour, at most, and what somebody is
 * refused: addresses and targets can be invented.
 */
const INVENTED_ROWS = 8;
const FAILED_FROM = 400;
const rowOf = (invented: string | null) => hash32(invented ?? "") % INVENTED_ROWS;

/** An event an hour, with a count; refusals of several things may be one, which names the last. A killed isolate loses the counts of half a second. */
export async function recordRepeatedEvent(
  { db, log, now }: Pick<Services, "db" | "log" | "now">,
  newEvent: NewEvent,
  times = 1,
): Promise<void> {
  const at = now();
  const event = columnsOf(newEvent);
  const { actorKind, actorId, action, target, status } = event;
  const who = actorId ?? rowOf(event.address);
  const what = actorId === null || status < FAILED_FROM ? target : rowOf(target);
  const hour = Math.floor(at / HOUR_MS);
  const id = [action, hour, actorKind, who, what, status].join(" ");
  const waiting = gathered.get(id);
  if (waiting !== undefined && at - waiting.since < WRITER_LOST_MS) {
    waiting.count += times;
    waiting.event = event;
    return;
  }
  const following = { event, count: 0, since: at };
  gathered.set(id, following);
  const remaining = waiting?.count ?? 0;
  if (waiting !== undefined) waiting.count = 0;
  await store({ db, log }, { ...event, id, at, count: times + remaining });
  await scheduler.wait(GATHER_MS);
  if (gathered.get(id) === following) gathered.delete(id);
  const { count, event: last } = following;
  if (count > 0) await store({ db, log }, { ...last, id, at: now(), count });
}

async function store({ db, log }: Pick<Services, "db" | "log">, event: AuditEvent): Promise<void> {
  try {
    await runBatch(db, [insertionOf(event)]);
  } catch (thrown) {
    const { fields, changes: _values, id: _id, at: _at, ...facts } = event;
    const reason = reasonOf(thrown);
    log.error("audit event not stored", { ...facts, fields: fields.join(" "), reason });
  }
}
