import type { UserId } from "../../core/ids.ts";
import { listSessionRows, type SessionRow } from "../../db/access/session-store.ts";
import type { Services } from "../../services.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS } from "../../db/access/session-store.ts";

/** A page of the open sessions of one user or of all, the most recently used first. */
export async function listSessions(
  { db, now }: Pick<Services, "db" | "now">,
  input: { userId: UserId | null; offset: number; limit: number },
): Promise<{ data: SessionRow[]; total: number }> {
  const open = { seenAfter: now() - SESSION_IDLE_MS, createdAfter: now() - SESSION_MAX_MS };
  return await listSessionRows(db, input, open);
}
