import { raw, readRows, runBatch, sql, type Database } from "../sql.ts";
import { number, oneOf, text, computed, select, type Row } from "../select.ts";

/** All secrets encrypted at rest, by the kind of their owner. */
const KINDS = [
  "file source",
  "second factor",
  "provider key",
  "sign-in provider",
  "session",
] as const;
const SEALED = raw(`select 'file source' as kind, id, sealed_secrets as sealed from file_sources
  where sealed_secrets is not null and removed_at is null
  union all select 'second factor', user_id, sealed_secret from user_totp
  union all select 'provider key', name, sealed_key from provider_keys
  union all select 'sign-in provider', id, sealed_secret from openid_provider
  union all select 'session', id, sealed_refresh_token from sessions
  where sealed_refresh_token is not null`);

const placeOf = (table: string, column: string, key: string) => {
  return { table: raw(table), column: raw(column), key: raw(key) };
};
const PLACES = {
  "file source": placeOf("file_sources", "sealed_secrets", "id"),
  "second factor": placeOf("user_totp", "sealed_secret", "user_id"),
  "provider key": placeOf("provider_keys", "sealed_key", "name"),
  "sign-in provider": placeOf("openid_provider", "sealed_secret", "id"),
  session: placeOf("sessions", "sealed_refresh_token", "id"),
};

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
    changes.map(({ secret: { kind, id, sealed: before }, sealed }) => {
      const { table, column, key } = PLACES[kind];
      return sql`update ${table} set ${column} = ${sealed}
        where ${key} = ${id} and ${column} = ${before} returning 1`;
    }),
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
