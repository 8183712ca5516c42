import { reasonOf } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { insertEvent, type AuditEvent } from "../../db/access/audit-store.ts";
import type { Services } from "../../services.ts";

/**
 * Keeps who did what. What was done stays done when it cannot be kept: then the log has the
 * event, at the level that wakes somebody.
 */
export async function recordEvent(
  { db, log, now }: Pick<Services, "db" | "log" | "now">,
  event: Omit<AuditEvent, "id" | "at">,
): Promise<void> {
  const at = now();
  try {
    await insertEvent(db, { ...event, id: newId(at), at });
  } catch (thrown) {
    const { fields, ...facts } = event;
    const reason = reasonOf(thrown);
    log.error("audit event not stored", { ...facts, fields: fields.join(" "), reason });
  }
}
