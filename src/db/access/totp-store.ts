import type { UserId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { flag, number, row, text, type Row } from "../columns.ts";
import { query, readRow, runBatch, statement } from "../raw-sql.ts";

const TOTP = row({ sealedSecret: text, confirmed: flag });
export type StoredTotp = Row<typeof TOTP>;

/** A user's second factor, confirmed or not yet; null: none. */
export async function findTotp(db: Database, userId: UserId): Promise<StoredTotp | null> {
  return await readRow(
    db,
    TOTP,
    `select sealed_secret as sealedSecret, confirmed_at is not null as confirmed
     from user_totp where user_id = ?1`,
    userId,
  );
}

const DONE = row({ done: number });

/** Starts or restarts an enrolment; false when one is confirmed already. */
export async function insertTotp(
  db: Database,
  userId: UserId,
  sealedSecret: string,
  now: number,
): Promise<boolean> {
  const inserted = await readRow(
    db,
    DONE,
    `insert into user_totp (user_id, sealed_secret, created_at) values (?1, ?2, ?3)
     on conflict (user_id) do update set sealed_secret = excluded.sealed_secret,
       created_at = excluded.created_at where confirmed_at is null
     returning 1 as done`,
    userId,
    sealedSecret,
    now,
  );
  return inserted !== null;
}

/**
 * Confirms an enrolment by its first code: stores the hashes of the recovery codes and ends all of
 * the user's sessions but one, as they were opened without a code. False when the enrolment was
 * replaced or is confirmed already.
 */
export async function confirmTotp(
  db: Database,
  of: { userId: UserId; sealedSecret: string; step: number; now: number },
  codeHashes: string[],
  keptSessionHash: string,
): Promise<boolean> {
  const [confirmed] = await runBatch(db, [
    query(
      DONE,
      `update user_totp set confirmed_at = ?4, last_step = ?3
       where user_id = ?1 and sealed_secret = ?2 and confirmed_at is null returning 1 as done`,
      of.userId,
      of.sealedSecret,
      of.step,
      of.now,
    ),
    statement(
      `insert into recovery_codes (user_id, hash) select ?1, value from json_each(?2)
       where changes() > 0`,
      of.userId,
      codeHashes,
    ),
    statement(
      `delete from sessions where user_id = ?1 and hash <> ?2 and changes() > 0`,
      of.userId,
      keptSessionHash,
    ),
  ]);
  return confirmed.length > 0;
}

/** Consumes the code of a time step; false when it, or a later one, was used before. */
export async function useStep(db: Database, userId: UserId, step: number): Promise<boolean> {
  const used = await readRow(
    db,
    DONE,
    `update user_totp set last_step = ?2
     where user_id = ?1 and confirmed_at is not null and last_step < ?2 returning 1 as done`,
    userId,
    step,
  );
  return used !== null;
}

/** Consumes a recovery code; false when it is not this user's, or was used before. */
export async function useRecoveryCode(
  db: Database,
  userId: UserId,
  hash: string,
): Promise<boolean> {
  const used = await readRow(
    db,
    DONE,
    `delete from recovery_codes where user_id = ?1 and hash = ?2 returning 1 as done`,
    userId,
    hash,
  );
  return used !== null;
}

/** Removes the second factor and its recovery codes; false when there is none. */
export async function deleteTotp(db: Database, userId: UserId): Promise<boolean> {
  const [, removed] = await runBatch(db, [
    statement(`delete from recovery_codes where user_id = ?1`, userId),
    query(DONE, `delete from user_totp where user_id = ?1 returning 1 as done`, userId),
  ]);
  return removed.length > 0;
}
