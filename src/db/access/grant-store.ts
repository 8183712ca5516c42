import type { TokenId, UserId } from "../../core/ids.ts";
import { DAY_MS, MINUTE_MS } from "../../core/time.ts";
import { tokens } from "../schema/index.ts";
import { assignSql, columnsOf, pick, select } from "../select.ts";
import { execute, hasRows, readValue, runBatch, sql, type Database } from "../sql.ts";

/** A connected program that was not used for so long has to be connected again. */
export const GRANT_IDLE_MS = 90 * DAY_MS;
/** So has each program of a person whom the provider has not let in for so long. */
export const UNSEEN_MS = 30 * DAY_MS;
/**
 * For so long a repeated refresh gets the same answer, and an old token ends nothing. Programs that
 * refresh from several machines were seen to repeat it more than a minute later.
 */
export const REPEATED_MS = 3 * MINUTE_MS;
/** Until a program has taken its code, its token is this long valid. */
export const CODE_MS = 10 * MINUTE_MS;

/** Takes the code of a grant; false: it was taken already, or the grant has ended. */
export const redeemGrant = (db: Database, id: TokenId, now: number) =>
  hasRows(db)`update tokens set last_used_at = ${now}, expires_at = ${now + GRANT_IDLE_MS}
    where id = ${id} and granted_by is not null and last_used_at is null and expires_at > ${now}
    returning 1`;

/** Whether a redeemed grant still holds. */
export const isGrantOpen = (db: Database, id: TokenId, now: number) =>
  hasRows(db)`select 1 from tokens where id = ${id} and granted_by is not null
    and last_used_at is not null and expires_at > ${now}`;

const REFRESH = select(pick(columnsOf(tokens), "refreshedUntil", "lastRefresh"));

/**
 * Claims a grant's refresh. Returns what the one before left; null: another call has claimed it;
 * undefined: the grant has ended.
 */
export async function claimRefresh(db: Database, id: TokenId, now: number, until: number) {
  const [[last], claims] = await runBatch(db, [
    sql`select ${REFRESH} from tokens where id = ${id}`,
    sql`update tokens set refreshed_until = ${until}, last_refresh = null
      where id = ${id} and refreshed_until <= ${now} returning 1`,
  ]);
  return last !== undefined && claims.length === 0 ? null : last;
}

/** Ends the claim of a refresh and keeps its answer, unless the claim ran out and another began. */
export const endRefresh = (
  db: Database,
  { id, until }: { id: TokenId; until: number },
  answer: { refreshedUntil: number; lastRefresh: string | null },
) => execute(db)`update tokens set ${assignSql(tokens, answer)}
  where id = ${id} and refreshed_until = ${until}`;

/** Returns the program's name; null: the grant had ended. */
export const endGrant = (db: Database, id: TokenId) =>
  readValue(db, columnsOf(tokens).name)`
    delete from tokens where id = ${id} and granted_by is not null returning name`;

/** Ends a person's earlier grants of the same installation of a program. */
export const endEarlierGrants = (
  db: Database,
  grant: { id: TokenId; grantedBy: UserId; clientId: string; clientHost: string },
) => execute(db)`delete from tokens where granted_by = ${grant.grantedBy} and id <> ${grant.id}
    and client_id = ${grant.clientId} and client_host = ${grant.clientHost}`;

/** Whose a grant is; false also where there is none. */
export const isGrantOf = (db: Database, id: string, userId: UserId) =>
  hasRows(db)`select 1 from tokens where id = ${id} and granted_by = ${userId}`;

/** Whether the grant exists; with a `clientId`, whether it is that program's. */
export const isGrantOfProgram = (db: Database, id: string, clientId: string | null) =>
  hasRows(db)`select 1 from tokens where id = ${id} and granted_by is not null
    and client_id = coalesce(${clientId}, client_id)`;

/** Deletes ended grants, and those of people whom the provider has not let in for too long. */
export const purgeEndedGrants = (db: Database, now: number) =>
  execute(db)`delete from tokens where granted_by is not null and (expires_at <= ${now}
    or granted_by in (select i.user_id from user_identities i join openid_provider p
      on p.settings ->> 'issuer' = i.issuer and p.settings ->> 'enabled'
      where i.checked_at <= ${now - UNSEEN_MS}))`;

/** A person's programs read for that person, as address and groups are now. */
export const followPerson = (db: Database, userId: UserId) =>
  execute(db)`update tokens set reader = (select email from users where id = ${userId}),
    reader_groups = coalesce((select groups from user_identities where user_id = ${userId}), '[]')
    where granted_by = ${userId}`;

/** Ends the grants of a person who is no longer let in. */
export const endGrantsOf = (db: Database, userId: UserId) =>
  execute(db)`delete from tokens where granted_by = ${userId}`;
