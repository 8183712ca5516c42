import { tooManyRequests } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { SECOND_MS } from "../../core/time.ts";
import { claimTry, forgetTries, isKnownAddress } from "../../db/access/session-store.ts";
import type { UserRow } from "../../db/access/user-store.ts";
import { withoutEntry } from "../../db/sql.ts";
import type { Services } from "../../services.ts";

type ThrottleServices = Pick<Services, "db" | "now">;

/**
 * Runs before a password check: after some failures an account, whether it exists or not, is
 * blocked for a growing time. An address at which its user is signed in then has tries of its own,
 * so that an attacker elsewhere cannot lock the user out. They are counted, too: colleagues, and
 * everybody behind a proxy that is not trusted, share the address.
 * @throws QuarryError `too-many`.
 */
export async function throttleSignIn(
  { db, now }: ThrottleServices,
  { email, user, address }: { email: string; user: UserRow | null; address: string },
): Promise<void> {
  const waitMs = await claim({ db, now }, await accountOf(email));
  if (waitMs === 0) return;
  const isKnown =
    user !== null && address !== "" && (await isKnownAddress(db, user.id, address, now()));
  refuse(isKnown ? await claim({ db, now }, await accountAt(email, address)) : waitMs);
}

/** Counts a try. Returns 0, or for how long, in ms, the account is blocked. */
async function claim({ db, now }: ThrottleServices, account: string): Promise<number> {
  const claimedUntil = await claimTry(withoutEntry(db), account, now());
  return Math.max(0, claimedUntil - now());
}

function refuse(waitMs: number): void {
  if (waitMs > 0) throw tooManyRequests(Math.ceil(waitMs / SECOND_MS));
}

/**
 * Runs before a code of the second factor is checked. Whoever tries a code knows the password, so a
 * known address waits, too: a code is short enough to be guessed.
 * @throws QuarryError `too-many`.
 */
export async function throttleCode(services: ThrottleServices, email: string): Promise<void> {
  refuse(await claim(services, await codesOf(email)));
}

/** Clears the failures after the right password, and the right code if one was asked for. */
export async function clearThrottle(
  { db }: Pick<Services, "db">,
  { email, address }: { email: string; address: string },
): Promise<void> {
  const accounts = [accountOf(email), accountAt(email, address), codesOf(email)];
  await forgetTries(withoutEntry(db), await Promise.all(accounts));
}

/** Hexadecimal digits: a million rows at most, whatever addresses are tried. */
const ACCOUNT_DIGITS = 5;
/** A hash: addresses that belong to no user are not stored in readable form. */
const accountOf = async (email: string) =>
  (await sha256Hex(`sign-in ${email}`)).slice(0, ACCOUNT_DIGITS);
const accountAt = (email: string, address: string) => sha256Hex(`sign-in ${email} at ${address}`);
const codesOf = (email: string) => sha256Hex(`code ${email}`);
