import { MINUTE_MS } from "../../core/time.ts";
import type { UserId } from "../../core/ids.ts";
import {
  findSessionRow,
  SESSION_IDLE_MS,
  SESSION_MAX_MS,
  touchSession,
} from "../../db/access/session-store.ts";
import type { Role } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import { sessionHashIn } from "./session-cookie.ts";

export type Session = { userId: UserId; email: string; role: Role; hasTotp: boolean };

/**
 * The session that a `Cookie` header names; null when there is none or it has ended. `isUse`:
 * whether the request counts as a use, which keeps the session from ending.
 */
export async function findSession(
  services: Pick<Services, "db" | "now" | "inBackground">,
  cookieHeader: string | null,
  secure: boolean,
  isUse = true,
): Promise<Session | null> {
  const hash = await sessionHashIn(cookieHeader, secure);
  if (hash === null) return null;
  const row = await findSessionRow(services.db, hash);
  if (row === null) return null;
  const now = services.now();
  const idleMs = now - row.lastSeenAt;
  if (idleMs >= SESSION_IDLE_MS || now - row.createdAt >= SESSION_MAX_MS) return null;
  if (isUse && idleMs >= MINUTE_MS) services.inBackground(touchSession(services.db, hash, now));
  const { userId, email, role } = row;
  return { userId, email, role, hasTotp: row.totpConfirmedAt !== null };
}
