import { invalidField, orNotFound } from "../../core/errors.ts";
import type { UserId } from "../../core/ids.ts";
import { findUserById, setPassword } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import { clearThrottle, throttleSignIn } from "../sessions/throttle-sign-in.ts";
import { refuseGuessable } from "./password-rules.ts";
import { hashPassword, verifyPassword } from "./password.ts";

/**
 * Sets the caller's own password and ends all of their sessions except the calling one.
 * @throws QuarryError `invalid` (current password wrong, new one guessable); `too-many`.
 */
export async function changeOwnPassword(
  services: Pick<Services, "db" | "now">,
  input: {
    userId: UserId;
    sessionHash: string;
    currentPassword: string;
    newPassword: string;
    address: string;
  },
): Promise<void> {
  const user = orNotFound(await findUserById(services.db, input.userId));
  const { email } = user;
  const { address } = input;
  await throttleSignIn(services, { email, user, address });
  if (!(await verifyPassword(input.currentPassword, user.passwordHash))) {
    throw invalidField("currentPassword", "is wrong");
  }
  await clearThrottle(services, { email, address });
  await refuseGuessable(input.newPassword, email, "newPassword");
  const passwordHash = await hashPassword(input.newPassword);
  await setPassword(services.db, user.id, passwordHash, input.sessionHash);
}
