import { listUserRows } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import type { User } from "./create-user.ts";

/** A page of the users in order of e-mail address, without their password hashes. */
export async function listUsers(
  { db }: Pick<Services, "db">,
  input: { offset: number; limit: number },
): Promise<{ data: User[]; total: number }> {
  const { data, total } = await listUserRows(db, input.offset, input.limit);
  return { data: data.map(({ passwordHash: _hidden, ...user }) => user), total };
}
