import { asId, type UserId } from "../../core/ids.ts";
import { conflict, orNotFound, type QuarryError } from "../../core/errors.ts";
import { followPerson } from "../../db/access/grant-store.ts";
import {
  findUserByEmail,
  findUserById,
  updateUser as write,
  type Role,
  type UserChange,
  deleteUser,
} from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import { emailTaken, type User } from "./create-user.ts";
import { foldEmail } from "./user-input.ts";
import { refuseOwn } from "./own-credentials.ts";
import { refuseGuessable } from "./password-rules.ts";
import { hashPassword } from "./password.ts";

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
  const user = orNotFound(await findUserById(db, asId(input.id)));
  const { passwordHash: _kept, ...visible } = user;
  const { password, role = user.role } = input.patch;
  const email = input.patch.email === undefined ? user.email : foldEmail(input.patch.email);
  const change: UserChange = { email, role };
  if (password !== undefined) {
    refuseOwn(user.id, input.by);
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
  const user = orNotFound(await findUserById(db, asId(input.id)));
  if (!(await deleteUser(db, user.id))) throw lastAdministrator();
}
