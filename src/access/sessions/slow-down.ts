import { SECOND_MS } from "../../core/time.ts";
import { tooManyRequests } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { claimTry, forgetTries, isKnownAddress } from "../../db/access/sign-in-tries.ts";
import type { UserRow } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";

type Slowed = Pick<Services, "db" | "now">;

/**
 * Before a password is looked at: after some failures an account, whether it exists or not, is
 * held for a growing while. An address from which its user is signed in does not wait, so that
 * nobody is locked out of their own by a stranger's tries.
 * @throws QuarryError `too-many`.
 */
export async function holdBack(
  services: Slowed,
  of: { email: string; user: UserRow | null; address: string },
): Promise<void> {
  const now = services.now();
  const claimedUntil = await claimTry(services.db, await accountOf(of.email), now);
  if (claimedUntil === 0) return;
  if (of.user !== null && of.address !== "") {
    if (await isKnownAddress(services.db, of.user.id, of.address)) return;
  }
  throw tooManyRequests(Math.ceil((claimedUntil - now) / SECOND_MS));
}

/** After the right password. */
export async function endHold({ db }: Pick<Services, "db">, email: string): Promise<void> {
  await forgetTries(db, await accountOf(email));
}

/** Of addresses that nobody has, nothing that can be read is kept. */
const accountOf = (email: string) => sha256Hex(`sign-in ${email}`);
