import { reasonOf } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { insertEvent, type AuditEvent } from "../../db/access/audit-store.ts";
import { HOUR_MS } from "../../core/time.ts";
import type { Services } from "../../services.ts";

export type NewEvent = Omit<AuditEvent, "id" | "at" | "count">;

/**
 * Writes an audit event. A failure to write it does not undo the action: the event then goes to
 * the log at error level.
 */
export async function recordEvent(
  { db, log, now }: Pick<Services, "db" | "log" | "now">,
  event: NewEvent,
): Promise<void> {
  const at = now();
  await store({ db, log }, { ...event, id: newId(at), at });
}

/**
 * As `recordEvent`, for actions that a program repeats thousands of times: one event an hour,
 * with a count.
 */
export async function recordRepeated(
  { db, log, now }: Pick<Services, "db" | "log" | "now">,
  event: NewEvent,
): Promise<void> {
  const at = now();
  const { actorKind, actorId, action, target, status } = event;
  const hour = Math.floor(at / HOUR_MS);
  const id = [action, hour, actorKind, actorId, target, status].join(" ");
  await store({ db, log }, { ...event, id, at });
}

async function store(
  { db, log }: Pick<Services, "db" | "log">,
  event: Omit<AuditEvent, "count">,
): Promise<void> {
  try {
    await insertEvent(db, event);
  } catch (thrown) {
    const { fields, id: _id, at: _at, ...facts } = event;
    const reason = reasonOf(thrown);
    log.error("audit event not stored", { ...facts, fields: fields.join(" "), reason });
  }
}
