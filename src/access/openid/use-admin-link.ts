import { QuarryError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { HOUR_MS } from "../../core/time.ts";
import { findAdminOfLink } from "../../db/access/openid-store.ts";
import type { Origin } from "../../db/access/session-store.ts";
import type { Services } from "../../services.ts";
import { openSession } from "../sessions/open-session.ts";
import type { SignedInUser } from "./find-person.ts";

/** Long enough to mend the settings; it asks for no second factor. */
const SESSION_MS = HOUR_MS;

/**
 * The administrator whom a link of `quarry admin-link` signs in; `uses`: uses the link up.
 * @throws QuarryError `unauthorized` when it was used, or is too old.
 */
export async function findLinkedAdmin(
  { db, now }: Pick<Services, "db" | "now">,
  code: string,
  uses = false,
): Promise<SignedInUser> {
  const user = await findAdminOfLink(db, await sha256Hex(code), now(), uses);
  if (user !== null) return user;
  throw new QuarryError("unauthorized", "This link was used, or is older than ten minutes.");
}

/** Signs in with a link, and uses it up. @throws as `findLinkedAdmin` */
export async function useAdminLink(
  services: Pick<Services, "db" | "log" | "now">,
  { code, origin }: { code: string; origin: Origin },
): Promise<{ user: SignedInUser; secret: string }> {
  const { log, now } = services;
  const user = await findLinkedAdmin(services, code, true);
  const vouched = { vouchedUntil: now() + SESSION_MS, sealedRefreshToken: null };
  const secret = await openSession(services, user.id, origin, vouched);
  log.warn("signed in with an administrator's link", { userId: user.id });
  return { user, secret };
}
