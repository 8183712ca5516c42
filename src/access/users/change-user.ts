import { conflict, invalidField, requireFound, type QuarryError } from "../../core/errors.ts";
import { asId, newId, type UserId } from "../../core/ids.ts";
import { followPerson } from "../../db/access/grant-store.ts";
import {
  deleteUser,
  findUserByEmail,
  findUserById,
  insertUser,
  setPassword,
  updateUser as write,
  type Role,
  type UserChange,
  type UserRow,
} from "../../db/access/user-store.ts";
import type { sql } from "../../db/sql.ts";
import type { Services } from "../../services.ts";
import { clearThrottle, throttleSignIn } from "../sessions/throttle-sign-in.ts";
import { refuseOwnCredentials } from "./own-credentials.ts";
import { refuseGuessable } from "./password-rules.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import { foldEmail } from "./user-input.ts";

export type User = Omit<UserRow, "passwordHash">;

/** @throws QuarryError `invalid` (guessable password); `conflict`: taken address, unmet condition. */
export async function createUser(
  services: Pick<Services, "db" | "now">,
  input: { email: string; password: string; role: Role; condition?: ReturnType<typeof sql> },
  id = newId<UserId>(services.now()),
): Promise<User> {
  const email = foldEmail(input.email);
  const user = { id, email, role: input.role, createdAt: services.now() };
  await refuseGuessable(input.password, email);
  const passwordHash = await hashPassword(input.password);
  const account = await insertUser(services.db, { ...user, passwordHash }, input.condition);
  if (account === null) throw emailTaken();
  return { ...user, id: account.id, role: account.role };
}

export const emailTaken = () => conflict("E-mail address is taken");

type UserPatch = { email?: string; password?: string; role?: Role };

/**
 * Updates the given fields; `by`: who asks for it. A new password or role ends the user's sessions.
 * @throws QuarryError `invalid`: guessable password; `forbidden`: one's own password; `not-found`;
 * `conflict`: the address is taken, or no administrator would be left.
 */
export async function updateUser(
  { db }: Pick<Services, "db">,
  input: { id: string; patch: UserPatch; by: UserId },
): Promise<User> {
  const user = requireFound(await findUserById(db, asId(input.id)));
  const { passwordHash: _kept, ...visible } = user;
  const { password, role = user.role } = input.patch;
  const email = input.patch.email === undefined ? user.email : foldEmail(input.patch.email);
  const change: UserChange = { email, role };
  if (password !== undefined) {
    refuseOwnCredentials(user.id, input.by);
    await refuseGuessable(password, email);
    change.passwordHash = await hashPassword(password);
  }
  const endSessions = password !== undefined || role !== user.role;
  if (!(await write(db, user.id, change, endSessions))) throw await refusalOf(db, user.id, email);
  if (email !== user.email) await followPerson(db, user.id);
  return { ...visible, email, role };
}

async function refusalOf(db: Services["db"], id: UserId, email: string): Promise<QuarryError> {
  const holder = await findUserByEmail(db, email);
  return holder !== null && holder.id !== id ? emailTaken() : lastAdministrator();
}

const lastAdministrator = () => conflict("The last administrator cannot become a member");

/** @throws QuarryError `not-found`; `conflict` for the last administrator. */
export async function removeUser({ db }: Pick<Services, "db">, input: { id: string }) {
  const user = requireFound(await findUserById(db, asId(input.id)));
  if (!(await deleteUser(db, user.id))) throw lastAdministrator();
}

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
  const user = requireFound(await findUserById(services.db, input.userId));
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
