import type { Database } from "../client.ts";
import { number, oneOf, row, text, type Row } from "../columns.ts";
import { query, readRows, runBatch } from "../raw-sql.ts";

/** All secrets encrypted at rest, by the kind of their owner. */
const KINDS = ["file source", "second factor"] as const;
const SEALED = `select 'file source' as kind, id, sealed_secrets as sealed from file_sources
  where sealed_secrets is not null and removed_at is null
  union all select 'second factor', user_id, sealed_secret from user_totp`;
const UPDATES: Record<(typeof KINDS)[number], string> = {
  "file source": `update file_sources set sealed_secrets = ?3
    where id = ?1 and sealed_secrets = ?2 returning id`,
  "second factor": `update user_totp set sealed_secret = ?3
    where user_id = ?1 and sealed_secret = ?2 returning user_id as id`,
};

const SECRET = row({ kind: oneOf(KINDS), id: text, sealed: text });
export type SealedSecret = Row<typeof SECRET>;

/**
 * Secrets sealed with a given key, in random order, so that an unreadable one does not block
 * others.
 */
export async function secretsSealedBy(
  db: Database,
  keyId: string,
  limit: number,
): Promise<SealedSecret[]> {
  return await readRows(
    db,
    SECRET,
    `select kind, id, sealed from (${SEALED}) where sealed like ?1 || '.%'
     order by random() limit ?2`,
    keyId,
    limit,
  );
}

const ID = row({ id: text });

/**
 * Replaces sealed texts; one that has changed since is left alone. Returns how many were replaced.
 */
export async function replaceSealed(
  db: Database,
  changes: { secret: SealedSecret; sealed: string }[],
): Promise<number> {
  const updated = await runBatch(
    db,
    changes.map(({ secret, sealed }) =>
      query(ID, UPDATES[secret.kind], secret.id, secret.sealed, sealed),
    ),
  );
  return updated.flat().length;
}

const COUNT = row({ keyId: text, secrets: number });

/** How many secrets are sealed with each key. */
export async function countSealedByKey(db: Database): Promise<Row<typeof COUNT>[]> {
  return await readRows(
    db,
    COUNT,
    `select substr(sealed, 1, instr(sealed, '.') - 1) as keyId, count(*) as secrets
     from (${SEALED}) group by 1`,
  );
}
