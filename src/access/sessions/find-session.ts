import { MINUTE_MS } from "../../core/time.ts";
import { findSessionRow, isOver, touchSession } from "../../db/access/session-store.ts";
import type { FoundSession } from "../../db/access/session-store.ts";
import type { Services } from "../../services.ts";
import { sessionHashIn } from "./session-cookie.ts";

export type Session = Pick<FoundSession, "userId" | "email" | "role" | "hasTotp" | "groups"> & {
  /** A provider vouches for it, or a link opened it: our second factor is not asked for. */
  isVouched: boolean;
};

export type FindingSession = Pick<
  Services,
  "askIssuer" | "config" | "db" | "runInBackground" | "log" | "now"
>;

/** With less time than this left, the provider is asked again: refresh tokens may be short-lived. */
const RENEWED_BEFORE_END_MS = 45 * MINUTE_MS;

/** Null: there is none, or it has ended. `isUse`: the request keeps the session from ending. */
export async function findSession(
  services: FindingSession,
  cookieHeader: string | null,
  secure: boolean,
  isUse = true,
): Promise<Session | null> {
  const hash = await sessionHashIn(cookieHeader, secure);
  if (hash === null) return null;
  const row = await currentRow(services, hash);
  if (row === null) return null;
  const now = services.now();
  const idleMs = now - row.lastSeenAt;
  if (isUse && idleMs >= MINUTE_MS) services.runInBackground(touchSession(services.db, hash, now));
  const { userId, email, role, hasTotp, groups, vouchedUntil } = row;
  return { userId, email, role, hasTotp, groups, isVouched: vouchedUntil !== null };
}

/** The session's row if it has not ended; asks the provider again where it is time. */
async function currentRow(services: FindingSession, hash: string): Promise<FoundSession | null> {
  const row = await findSessionRow(services.db, hash);
  const now = services.now();
  if (row === null || isOver(row, now)) return null;
  const { vouchedUntil, sealedRefreshToken } = row;
  if (vouchedUntil === null) return row;
  if (sealedRefreshToken !== null && vouchedUntil - now < RENEWED_BEFORE_END_MS) {
    const { recheckSession } = await import("../openid/recheck-session.ts");
    const outcome = await recheckSession(services, hash, { ...row, sealedRefreshToken });
    if (outcome === "ended") return null;
    if (outcome === "vouched") return await findSessionRow(services.db, hash);
  }
  return vouchedUntil > now ? row : null;
}

/** Whether a session has ended only because the provider has to be asked again. */
export async function needsRecheck(
  { db, now }: Pick<Services, "db" | "now">,
  cookieHeader: string | null,
  secure: boolean,
): Promise<boolean> {
  const hash = await sessionHashIn(cookieHeader, secure);
  const row = hash === null ? null : await findSessionRow(db, hash);
  return row?.vouchedUntil != null && row.vouchedUntil <= now() && !isOver(row, now());
}
