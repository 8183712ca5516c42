import { QuarryError } from "../../core/errors.ts";
import { newId, type UserId } from "../../core/ids.ts";
import { followPerson } from "../../db/access/grant-store.ts";
import { findInvitedRole } from "../../db/access/invitation-store.ts";
import { findByIdentity, joinIdentity } from "../../db/access/openid-store.ts";
import { findUserByEmail, insertUser, updateUser, type Role } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import type { FieldChange } from "../audit/field-changes.ts";
import { NO_PASSWORD } from "../users/password.ts";
import type { Person } from "./judge-claims.ts";

export type SignedInUser = { id: UserId; email: string; role: Role };
/** The user, and what the sign-in changed of them, as the audit trail names it. */
type PersonMatch = { user: SignedInUser; changes: FieldChange[] };

/**
 * The user of a provider's account, who is let in: found by issuer and subject, else joined by the
 * verified address, else made. Address, role and groups follow the provider; with another role
 * their sessions end, all but `keptSessionHash`.
 * @throws QuarryError `conflict` when the address belongs to another account or user.
 */
export async function personOf(
  services: Pick<Services, "db" | "log" | "now">,
  account: { issuer: string; subject: string },
  person: Person,
  keptSessionHash: string | null = null,
): Promise<PersonMatch> {
  const { db, log, now } = services;
  const existing = await findByIdentity(db, account.issuer, account.subject);
  const { user, changes } =
    existing === null
      ? await findOrCreateUser(services, person)
      : await changeEmail(services, existing, person.email);
  const { groups, omittedGroups } = person;
  if (omittedGroups > 0)
    log.warn("groups of a person left out", {
      userId: user.id,
      counted: groups.length,
      omittedGroups,
    });
  const identity = await joinIdentity(db, { ...account, userId: user.id, groups, now: now() });
  if (!identity) throw addressTaken(log);
  const role = await roleOf(services, user, person.role, keptSessionHash);
  if (role !== user.role) changes.push({ field: "role", from: user.role, to: role });
  await followPerson(db, user.id);
  return { user: { ...user, role }, changes };
}

/** The user of an address, who is joined to the account, or a new one. */
async function findOrCreateUser(
  { db, log, now }: Pick<Services, "db" | "log" | "now">,
  person: Person,
): Promise<PersonMatch> {
  const { email } = person;
  const createdAt = now();
  const role = person.role ?? (await findInvitedRole(db, email, createdAt)) ?? "member";
  const newUser = { id: newId<UserId>(createdAt), email, role, createdAt };
  const inserted = await insertUser(db, { ...newUser, passwordHash: NO_PASSWORD });
  if (inserted !== null) return { user: newUser, changes: [{ field: "created" }] };
  const user = await findUserByEmail(db, email);
  if (user === null) throw addressTaken(log);
  return { user, changes: [{ field: "joined" }] };
}

async function changeEmail(
  { db, log }: Pick<Services, "db" | "log">,
  { id, email: from, role }: SignedInUser,
  email: string,
): Promise<PersonMatch> {
  const user = { id, email, role };
  if (email === from) return { user, changes: [] };
  if (!(await updateUser(db, id, { email, role }, false))) throw addressTaken(log);
  return { user, changes: [{ field: "email", from, to: email }] };
}

/** The last administrator stays one, whatever the provider says. */
async function roleOf(
  { db, log }: Pick<Services, "db" | "log">,
  { id, email, role: before }: SignedInUser,
  role: Role | null,
  keptSessionHash: string | null,
): Promise<Role> {
  if (role === null || role === before) return before;
  if (await updateUser(db, id, { email, role }, true, keptSessionHash)) return role;
  log.warn("the last administrator keeps the role that the provider took", { userId: id });
  return before;
}

function addressTaken(log: Services["log"]): QuarryError {
  const cause = "address-taken";
  log.warn("openid sign-in failed", { reason: cause });
  const message =
    "Your address belongs to another account here. Ask an administrator to remove that user.";
  return new QuarryError("conflict", message, { cause });
}
