import { asId } from "../../core/ids.ts";
import { notFound } from "../../core/errors.ts";
import { deleteUser, findUserById } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import { lastAdministrator } from "./update-user.ts";

/**
 * Removes a user and ends the user's sessions.
 * @throws QuarryError `not-found`; `conflict` for the last administrator.
 */
export async function removeUser({ db }: Pick<Services, "db">, input: { id: string }) {
  const user = await findUserById(db, asId(input.id));
  if (user === null) throw notFound();
  if (!(await deleteUser(db, user.id))) throw lastAdministrator();
}
