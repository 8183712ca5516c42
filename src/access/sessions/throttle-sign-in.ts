import { SECOND_MS } from "../../core/time.ts";
import { tooManyRequests } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { claimTry, forgetTries, isKnownAddress } from "../../db/access/session-store.ts";
import type { UserRow } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";

type Slowed = Pick<Services, "db" | "now">;

/**
 * Runs before a password check: after some failures an account, whether it exists or not, is
 * blocked for a growing time. An address from which its user is signed in does not wait, so that
 * an attacker's attempts cannot lock the user out.
 * @throws QuarryError `too-many`.
 */
export async function throttleSignIn(
  services: Slowed,
  of: { email: string; user: UserRow | null; address: string },
): Promise<void> {
  const now = services.now();
  const claimedUntil = await claimTry(services.db, await accountOf(of.email), now);
  if (claimedUntil === 0) return;
  if (of.user !== null && of.address !== "") {
    if (await isKnownAddress(services.db, of.user.id, of.address, now)) return;
  }
  throw tooManyRequests(Math.ceil((claimedUntil - now) / SECOND_MS));
}

/**
 * The same before a code of the second factor is checked. Whoever tries one knows the password, so
 * a known address waits, too: a code is short enough to be guessed.
 * @throws QuarryError `too-many`.
 */
export async function throttleCode({ db, now }: Slowed, email: string): Promise<void> {
  const claimedUntil = await claimTry(db, await codesOf(email), now());
  if (claimedUntil > 0) throw tooManyRequests(Math.ceil((claimedUntil - now()) / SECOND_MS));
}

/** Clears the failures after the right password, and the right code if one was asked for. */
export async function clearThrottle({ db }: Pick<Services, "db">, email: string): Promise<void> {
  await forgetTries(db, [await accountOf(email), await codesOf(email)]);
}

/** A hash: addresses that belong to no user are not stored in readable form. */
const accountOf = (email: string) => sha256Hex(`sign-in ${email}`);
const codesOf = (email: string) => sha256Hex(`code ${email}`);
