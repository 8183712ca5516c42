import { sha256Hex } from "../../core/hash.ts";
import { newId, type UserId } from "../../core/ids.ts";
import { insertSession, type Origin, type Recheck } from "../../db/access/session-store.ts";
import type { Services } from "../../services.ts";
import { randomBase62 } from "../credential-format.ts";

/** 43 base62 characters hold 256 bits. */
const SECRET_LENGTH = 43;
const USER_AGENT_KEPT = 200;

/** Opens a session and returns the cookie's value. `vouched`: for one without a password. */
export async function openSession(
  { db, now: clock }: Pick<Services, "db" | "now">,
  userId: UserId,
  { address, userAgent }: Origin,
  vouched: Recheck = { vouchedUntil: null, sealedRefreshToken: null },
): Promise<string> {
  const secret = randomBase62(SECRET_LENGTH);
  const now = clock();
  const session = { hash: await sha256Hex(secret), id: newId(now), userId, now, ...vouched };
  await insertSession(db, { ...session, address, userAgent: userAgent.slice(0, USER_AGENT_KEPT) });
  return secret;
}
