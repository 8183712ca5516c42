import { conflict, QuarryError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { DAY_MS } from "../../core/time.ts";
import { findInvitation, insertInvitation } from "../../db/access/invitation-store.ts";
import {
  isStillOpen,
  markInvitationUsed,
  withdrawInvitation,
} from "../../db/access/invitation-store.ts";
import type { Origin } from "../../db/access/session-store.ts";
import { findUserByEmail, hasNoWayIn, type Role } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import { randomBase62 } from "../credential-format.ts";
import { refusePasswords } from "../openid/provider-settings.ts";
import { openSession } from "../sessions/open-session.ts";
import { createUser, emailTaken } from "./change-user.ts";
import { foldEmail } from "./user-input.ts";

/** 43 base62 characters hold 256 bits. */
const CODE_LENGTH = 43;
const GOOD_FOR_MS = 3 * DAY_MS;

type InviteServices = Pick<Services, "config" | "db" | "now">;
type Invitee = { id: string; email: string; role: Role };

/**
 * `code` is returned only here. A user whom an import left without a password keeps the role.
 * @throws QuarryError `conflict`: the address is that of a user who can sign in
 */
export async function invitePerson({ db, now }: InviteServices, { id, role, ...person }: Invitee) {
  const [code, createdAt, email] = [randomBase62(CODE_LENGTH), now(), foldEmail(person.email)];
  const user = await findUserByEmail(db, email);
  if (user !== null && !(await hasNoWayIn(db, user.id))) throw emailTaken();
  const row = {
    id,
    email,
    role: user?.role ?? role,
    createdAt,
    expiresAt: createdAt + GOOD_FOR_MS,
  };
  await insertInvitation(db, { ...row, hash: await sha256Hex(code) });
  return { ...row, state: "open" as const, code };
}

/** @throws QuarryError `conflict`: it is not open any more */
export async function withdraw({ db, now }: InviteServices, { id }: { id: string }): Promise<void> {
  if (!(await withdrawInvitation(db, id, now()))) throw conflict("It has ended already");
}

const REASONS = {
  used: "This invitation was used: sign in",
  withdrawn: "This invitation was withdrawn: ask an administrator for a new one",
  ended: "This invitation has ended after three days: ask an administrator for a new one",
};

/** The open invitation of a link. @throws QuarryError `unauthorized`: why it cannot be used */
export async function openInvitation({ db, now }: InviteServices, code: string) {
  const invitation = await findInvitation(db, await sha256Hex(code), now());
  if (invitation?.state === "open") return invitation;
  const reason =
    invitation === null
      ? "There is no such invitation: copy the whole link"
      : REASONS[invitation.state];
  throw new QuarryError("unauthorized", reason);
}

type Acceptance = { code: string; password: string; origin: Origin };

/**
 * Makes the invited person a user, and signs them in.
 * @throws QuarryError as `openInvitation`, `refusePasswords` and `createUser`
 */
export async function acceptInvitation(services: InviteServices, acceptance: Acceptance) {
  const { code, password, origin } = acceptance;
  const { id, email, role } = await openInvitation(services, code);
  await refusePasswords(services);
  const condition = isStillOpen(id, services.now());
  const user = await createUser(services, { email, password, role, condition });
  await markInvitationUsed(services.db, id, services.now());
  return { user, secret: await openSession(services, user.id, origin) };
}
