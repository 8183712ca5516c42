import { QuarryError, unauthorized } from "../../core/errors.ts";
import { equalInConstantTime } from "../../core/hash.ts";
import { newId, type UserId } from "../../core/ids.ts";
import { closeSession, type Origin } from "../../db/access/session-store.ts";
import {
  findSignIn,
  insertFirstUser,
  insertUser,
  resetAdministrator,
  type UserRow,
} from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import { refusePasswords } from "../openid/provider-settings.ts";
import { secondFactorOf, useCode } from "../totp/check-second-factor.ts";
import { refuseGuessable } from "../users/password-rules.ts";
import { hashPassword, verifyPassword } from "../users/password.ts";
import { foldEmail } from "../users/user-input.ts";
import type { Session } from "./find-session.ts";
import { openSession } from "./open-session.ts";
import { clearThrottle, throttleSignIn, throttleCode } from "./throttle-sign-in.ts";

type SignInServices = Pick<Services, "config" | "db" | "log" | "now">;

export type SignedIn = { session: Session; secret: string };

/**
 * Signs a user in; `secret` is the cookie's value, of which only the hash is stored. A refusal
 * costs one look-up and one scrypt run, whether or not the user exists.
 * @throws QuarryError `unauthorized`, which says that a code is required when only the code is
 * missing; `too-many` after many failures; `forbidden` where passwords are off.
 */
export async function signIn(
  services: SignInServices,
  input: { email: string; password: string; code?: string | undefined } & Origin & {
      /** The hash of the browser's earlier session, which ends. */
      replaces?: string | null;
    },
): Promise<SignedIn> {
  await refusePasswords(services);
  const email = foldEmail(input.email);
  const { user, anyUser } = await findSignIn(services.db, email);
  await throttleSignIn(services, { email, user, address: input.address });
  const isCorrect = await verifyPassword(input.password, user?.passwordHash ?? null);
  const signedIn =
    (await adminOfSecrets(services, { ...input, email, user, anyUser, known: isCorrect })) ?? user;
  if (signedIn === null || (signedIn === user && !isCorrect)) throw unauthorized();
  const hasTotp = await passSecondFactor(services, signedIn, input.code);
  await clearThrottle(services, { email, address: input.address });
  const secret = await openSession(services, signedIn.id, input);
  if (input.replaces != null) await closeSession(services.db, input.replaces);
  services.log.info("signed in", { userId: signedIn.id });
  const { id, role } = signedIn;
  const factors = { hasTotp, isVouched: false };
  const session = { userId: id, email: signedIn.email, role, groups: [], ...factors };
  return { session, secret };
}

/** Checks the second factor. Returns whether the user has one. */
async function passSecondFactor(services: SignInServices, user: UserRow, code: string | undefined) {
  const factor = await secondFactorOf(services, user.id);
  if (factor === null) return false;
  if (code === undefined) {
    throw new QuarryError("unauthorized", "A code is required", { code: "code-required" });
  }
  await throttleCode(services, user.email);
  if (await useCode(services, user.id, factor, code)) return true;
  services.log.warn("second factor refused", { userId: user.id });
  // Its words are those of a wrong password: only the audit trail tells them apart.
  throw new QuarryError("unauthorized", unauthorized().message, { code: "code-refused" });
}

type Attempt = {
  email: string;
  password: string;
  user: UserRow | null;
  anyUser: boolean;
  known: boolean;
};

/**
 * The first administrator, created from the configured secrets while no user exists, or reset to
 * their password (`PANEL_ADMIN_RESET`: then only these secrets are accepted). Null: neither
 * applies.
 */
async function adminOfSecrets(services: SignInServices, attempt: Attempt): Promise<UserRow | null> {
  const { PANEL_ADMIN_EMAIL, PANEL_ADMIN_PASSWORD, PANEL_ADMIN_RESET } = services.config;
  if (PANEL_ADMIN_EMAIL === undefined || PANEL_ADMIN_PASSWORD === undefined) return null;
  if (attempt.email !== foldEmail(PANEL_ADMIN_EMAIL)) return null;
  if (attempt.anyUser && !PANEL_ADMIN_RESET) return null;
  if (!(await equalInConstantTime(attempt.password, PANEL_ADMIN_PASSWORD))) throw unauthorized();
  if (attempt.user !== null && attempt.known && attempt.user.role === "admin") return attempt.user;
  return await setFirstAdministrator(services, attempt);
}

async function setFirstAdministrator(
  services: SignInServices,
  { email, password, user, anyUser, known: isCorrect }: Attempt,
): Promise<UserRow | null> {
  const { config, db, log } = services;
  if (config.ENVIRONMENT !== "development") {
    await refuseGuessable(password, email, "PANEL_ADMIN_PASSWORD");
  }
  const passwordHash = await hashPassword(password);
  log.warn("first administrator set", { reset: anyUser });
  if (user !== null) {
    // A new password takes the second factor with it, once: the reset may stay on for long.
    await resetAdministrator(db, user.id, { passwordHash, keepsTotp: isCorrect });
    return { ...user, passwordHash, role: "admin" };
  }
  const createdAt = services.now();
  const id = newId<UserId>(createdAt);
  const first: UserRow = { id, email, passwordHash, role: "admin", createdAt };
  const inserted = anyUser ? await insertUser(db, first) : await insertFirstUser(db, first);
  if (inserted) return first;
  // A concurrent request created the same user from the same secrets.
  const otherAttempt = await findSignIn(db, email);
  return otherAttempt.user !== null &&
    (await verifyPassword(password, otherAttempt.user.passwordHash))
    ? otherAttempt.user
    : null;
}
