import { readPage, type Slice } from "../page.ts";
import { invitations } from "../schema/index.ts";
import { columnsOf, oneOf, pick, select, values } from "../select.ts";
import { execute, hasRows, raw, readRow, readValue, sql, type Database } from "../sql.ts";

const i = columnsOf(invitations);

export const INVITATION_STATES = ["open", "used", "withdrawn", "ended"] as const;

const invitationAt = (now: number) =>
  select({
    ...pick(i, "id", "email", "role", "createdAt", "expiresAt"),
    state: oneOf(
      INVITATION_STATES,
      sql`case when used_at is not null then 'used' when withdrawn_at is not null then 'withdrawn'
        when expires_at <= ${now} then 'ended' else 'open' end`,
    ),
  });

const isOpen = (now: number) =>
  sql`used_at is null and withdrawn_at is null and expires_at > ${now}`;

/** Whether this one is open, for the statement that makes its person a user. */
export const isStillOpen = (id: string, now: number) =>
  sql`exists (select 1 from invitations where id = ${id} and ${isOpen(now)})`;

/** As the trigger does where the person is a new user. */
export const markInvitationUsed = (db: Database, id: string, now: number) =>
  execute(db)`update invitations set used_at = ${now} where id = ${id} and used_at is null`;

export const insertInvitation = (db: Database, row: typeof invitations.$inferInsert) =>
  execute(db)`insert into invitations ${values(invitations, row)}`;

/** `key`: its id, or the hash of its code. */
export const findInvitation = (db: Database, key: string, now: number) =>
  readRow(db)`select ${invitationAt(now)} from invitations where id = ${key} or hash = ${key}`;

/** Invitations of the last month, the newest first. */
export const listInvitations = (db: Database, now: number, slice: Slice) =>
  readPage(db, invitationAt(now), {
    ...slice,
    from: raw("from invitations"),
    order: raw("id desc"),
  });

/** The role of the open invitation to an address; null: there is none. */
export const findInvitedRole = (db: Database, email: string, now: number) =>
  readValue(db, i.role)`select role from invitations where email = ${email} and ${isOpen(now)}`;

/** False: it is not open. */
export const withdrawInvitation = (db: Database, id: string, now: number) =>
  hasRows(db)`update invitations set withdrawn_at = ${now} where id = ${id} and ${isOpen(now)}
    returning 1`;
