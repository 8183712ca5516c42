import { conflict, invalidField, notFound, requireFound } from "../../core/errors.ts";
import type { UserId } from "../../core/ids.ts";
import { confirmTotp, deleteTotp, findTotp, insertTotp } from "../../db/access/totp-store.ts";
import { findUserById } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import { seal } from "../seal.ts";
import { clearThrottle, throttleCode, throttleSignIn } from "../sessions/throttle-sign-in.ts";
import { refuseOwnCredentials } from "../users/own-credentials.ts";
import { verifyPassword } from "../users/password.ts";
import { openSecret, secondFactorOf, useCode } from "./check-second-factor.ts";
import { newRecoveryCode, newSecret, recoveryHash, stepOf, totpUri } from "./totp-code.ts";

const RECOVERY_CODES = 8;

type TotpServices = Pick<Services, "config" | "db" | "now">;

/** It takes effect once a code confirms it. @throws QuarryError `conflict` when there is one. */
export async function beginTotp(
  { config, db, now }: TotpServices,
  user: { userId: UserId; email: string },
): Promise<{ secret: string; uri: string }> {
  const secret = newSecret();
  const sealed = await seal(config, secret);
  if (!(await insertTotp(db, user.userId, sealed, now()))) {
    throw conflict("A second factor is enrolled");
  }
  return { secret, uri: totpUri(secret, user.email) };
}

/**
 * Confirms a second factor by its first code, and ends the user's other sessions. The recovery
 * codes are returned only here.
 * @throws QuarryError `invalid` (wrong code); `not-found` when no enrolment was begun;
 * `conflict`; `unprocessable` when its key is not set any more.
 */
export async function confirmEnrolment(
  { config, db, now }: TotpServices,
  input: { userId: UserId; sessionHash: string; code: string },
): Promise<{ recoveryCodes: string[] }> {
  const { userId } = input;
  const totp = requireFound(await findTotp(db, userId));
  if (totp.confirmed) throw conflict("A second factor is enrolled");
  const { sealedSecret } = totp;
  const step = stepOf(await openSecret(config, totp), input.code, now());
  if (step === null) throw invalidField("code", "is wrong");
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const hashes = await Promise.all(recoveryCodes.map(recoveryHash));
  const confirmation = { userId, sealedSecret, step, now: now() };
  if (!(await confirmTotp(db, confirmation, hashes, input.sessionHash))) {
    throw conflict("The enrolment changed meanwhile: start again");
  }
  return { recoveryCodes };
}

/** Null: none was begun, or its key is not set any more and it must be begun again. */
export async function pendingTotp(
  { config, db }: Pick<Services, "config" | "db">,
  user: { userId: UserId; email: string },
): Promise<{ secret: string; uri: string } | null> {
  const factor = await findTotp(db, user.userId);
  if (factor === null || factor.confirmed) return null;
  const secret = await openSecret(config, factor).catch(() => null);
  if (secret === null) return null;
  return { secret, uri: totpUri(secret, user.email) };
}

export type Proof = { code?: string | undefined; password?: string | undefined };

/**
 * Removes the caller's own second factor, given a code of it or the password.
 * @throws QuarryError `invalid` (wrong); `not-found` when there is none; `too-many`.
 */
export async function removeOwnTotp(
  services: TotpServices,
  input: { userId: UserId; address: string } & Proof,
): Promise<void> {
  const { userId, address, code, password } = input;
  const [user, factor] = await Promise.all([
    findUserById(services.db, userId),
    secondFactorOf(services, userId),
  ]);
  if (user === null || factor === null) throw notFound();
  const { email } = user;
  if (code !== undefined) await throttleCode(services, email);
  else await throttleSignIn(services, { email, user, address });
  const isProven =
    code === undefined
      ? await verifyPassword(password ?? "", user.passwordHash)
      : await useCode(services, userId, factor, code);
  if (!isProven) throw invalidField(code === undefined ? "password" : "code", "is wrong");
  await clearThrottle(services, { email, address });
  await deleteTotp(services.db, userId);
}

/** For an administrator; the other user has lost it. @throws QuarryError `not-found`. */
export async function removeTotp(
  { db }: Pick<Services, "db">,
  { userId, by }: { userId: UserId; by: UserId },
): Promise<void> {
  refuseOwnCredentials(userId, by);
  if (!(await deleteTotp(db, userId))) throw notFound();
}
