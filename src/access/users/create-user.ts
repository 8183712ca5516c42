import { conflict } from "../../core/errors.ts";
import { newId, type UserId } from "../../core/ids.ts";
import { insertUser, type Role, type UserRow } from "../../db/access/user-store.ts";
import type { sql } from "../../db/sql.ts";
import type { Services } from "../../services.ts";
import { foldEmail } from "./user-input.ts";
import { refuseGuessable } from "./password-rules.ts";
import { hashPassword } from "./password.ts";

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
