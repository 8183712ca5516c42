import { raw, readRows, runBatch, sql, type Database } from "../sql.ts";
import { number, oneOf, text, computed, select, type Row } from "../select.ts";

/** All secrets encrypted at rest, by the kind of their owner. */
const KINDS = ["file source", "second factor"] as const;
const SEALED = raw(`select 'file source' as kind, id, sealed_secrets as sealed from file_sources
  where sealed_secrets is not null and removed_at is null
  union all select 'second factor', user_id, sealed_secret from user_totp`);

const SECRET = select({
  kind: computed(oneOf(KINDS), "kind"),
  id: computed(text, "id"),
  sealed: computed(text, "sealed"),
});
export type SealedSecret = Row<typeof SECRET>;

/**
 * Secrets sealed with a given key, in random order, so that an unreadable one does not block
 * others.
 */
export const secretsSealedBy = (db: Database, keyId: string, limit: number) =>
  readRows(db, SECRET)`select ${SECRET} from (${SEALED}) where sealed like ${`${keyId}.%`}
    order by random() limit ${limit}`;

/**
 * Replaces sealed texts; one that has changed since is left alone. Returns how many were replaced.
 */
export async function replaceSealed(
  db: Database,
  changes: { secret: SealedSecret; sealed: string }[],
): Promise<number> {
  const updated = await runBatch(
    db,
    changes.map(({ secret: { kind, id, sealed: before }, sealed }) =>
      kind === "file source"
        ? sql`update file_sources set sealed_secrets = ${sealed}
            where id = ${id} and sealed_secrets = ${before} returning 1`
        : sql`update user_totp set sealed_secret = ${sealed}
            where user_id = ${id} and sealed_secret = ${before} returning 1`,
    ),
  );
  return updated.flat().length;
}

const COUNT = select({
  keyId: computed(text, "substr(sealed, 1, instr(sealed, '.') - 1)"),
  secrets: computed(number, "count(*)"),
});

/** How many secrets are sealed with each key. */
export const countSealedByKey = (db: Database) =>
  readRows(db, COUNT)`select ${COUNT} from (${SEALED}) group by 1`;
