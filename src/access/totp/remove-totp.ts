import { invalidField, notFound } from "../../core/errors.ts";
import type { UserId } from "../../core/ids.ts";
import { deleteTotp } from "../../db/access/totp-store.ts";
import { findUserById } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import { clearThrottle, throttleSignIn, throttleCode } from "../sessions/throttle-sign-in.ts";
import { refuseOwn } from "../users/own-credentials.ts";
import { verifyPassword } from "../users/password.ts";
import { secondFactorOf, useCode } from "./check-second-factor.ts";

export type Proof = { code?: string | undefined; password?: string | undefined };

/**
 * Removes the caller's own second factor, given a code of it or the password.
 * @throws QuarryError `invalid` (wrong); `not-found` when there is none; `too-many`.
 */
export async function removeOwnTotp(
  services: Pick<Services, "config" | "db" | "now">,
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
  refuseOwn(userId, by);
  if (!(await deleteTotp(db, userId))) throw notFound();
}
