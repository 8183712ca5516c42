import type { UserId } from "../../core/ids.ts";
import { userTotp } from "../schema/index.ts";
import { flag, columnsOf, select, values, type Row } from "../select.ts";
import { hasRows, readRow, runBatch, sql, type Database } from "../sql.ts";

const TOTP = select({
  sealedSecret: columnsOf(userTotp).sealedSecret,
  confirmed: flag("confirmed_at is not null"),
});
export type StoredTotp = Row<typeof TOTP>;

/** A user's second factor, confirmed or not yet; null: none. */
export const findTotp = (db: Database, userId: UserId) =>
  readRow(db)`select ${TOTP} from user_totp where user_id = ${userId}`;

/** Starts or restarts an enrolment; false when one is confirmed already. */
export const insertTotp = (db: Database, userId: UserId, sealedSecret: string, now: number) =>
  hasRows(db)`insert into user_totp ${values(userTotp, { userId, sealedSecret, createdAt: now })}
    on conflict (user_id) do update set sealed_secret = excluded.sealed_secret,
      created_at = excluded.created_at where confirmed_at is null
    returning 1`;

/**
 * Confirms an enrolment by its first code: stores the hashes of the recovery codes and ends all of
 * the user's sessions but one, as they were opened without a code. False when the enrolment was
 * replaced or is confirmed already.
 */
export async function confirmTotp(
  db: Database,
  secret: { userId: UserId; sealedSecret: string; step: number; now: number },
  codeHashes: string[],
  keptSessionHash: string,
): Promise<boolean> {
  const [confirmed] = await runBatch(db, [
    sql`update user_totp set confirmed_at = ${secret.now}, last_step = ${secret.step}
      where user_id = ${secret.userId} and sealed_secret = ${secret.sealedSecret}
        and confirmed_at is null returning 1`,
    sql`insert into recovery_codes (user_id, hash)
      select ${secret.userId}, value from json_each(${codeHashes}) where changes() > 0`,
    sql`delete from sessions
      where user_id = ${secret.userId} and hash <> ${keptSessionHash} and changes() > 0`,
  ]);
  return confirmed.length > 0;
}

/** Consumes the code of a time step; false when it, or a later one, was used before. */
export const useStep = (db: Database, userId: UserId, step: number) =>
  hasRows(db)`update user_totp set last_step = ${step}
    where user_id = ${userId} and confirmed_at is not null and last_step < ${step} returning 1`;

/** Consumes a recovery code; false when it is not this user's, or was used before. */
export const useRecoveryCode = (db: Database, userId: UserId, hash: string) =>
  hasRows(db)`delete from recovery_codes where user_id = ${userId} and hash = ${hash} returning 1`;

/** Removes the second factor and its recovery codes; false when there is none. */
export async function deleteTotp(db: Database, userId: UserId): Promise<boolean> {
  const [, removed] = await runBatch(db, [
    sql`delete from recovery_codes where user_id = ${userId}`,
    sql`delete from user_totp where user_id = ${userId} returning 1`,
  ]);
  return removed.length > 0;
}
