import { number, oneOf, text, select, type Row } from "../select.ts";
import { raw, readRows, runBatch, sql, type Database } from "../sql.ts";

/** All secrets encrypted at rest, by the kind of their owner: table, column and key. */
const PLACES = {
  "file source": ["file_sources", "sealed_secrets", "id"],
  "webhook of a file source": ["file_sources", "sealed_webhook_secret", "id"],
  "second factor": ["user_totp", "sealed_secret", "user_id"],
  "provider key": ["provider_keys", "sealed_key", "name"],
  "sign-in provider": ["openid_provider", "sealed_secret", "id"],
  session: ["sessions", "sealed_refresh_token", "id"],
  "event endpoint": ["event_endpoints", "sealed_secret", "id"],
  "event endpoint, until a day ago": ["event_endpoints", "sealed_previous_secret", "id"],
} as const;
const KINDS = Object.keys(PLACES).filter((kind): kind is keyof typeof PLACES => kind in PLACES);
/** Those of a removed source are deleted with it. */
const SELECTS = KINDS.map((kind) => {
  const [table, column, key] = PLACES[kind];
  const restriction = table === "file_sources" ? "and removed_at is null" : "";
  return `select '${kind}' as kind, ${key} as id, ${column} as sealed from ${table}
    where ${column} is not null ${restriction}`;
});
/** D1 takes five parts of a union. */
const UNION_PARTS = 5;
const SEALED = raw(
  [SELECTS.slice(0, UNION_PARTS), SELECTS.slice(UNION_PARTS)]
    .map((parts) => `select * from (${parts.join(" union all ")})`)
    .join(" union all "),
);

const SECRET = select({
  kind: oneOf(KINDS, "kind"),
  id: text("id"),
  sealed: text("sealed"),
});
export type SealedSecret = Row<typeof SECRET>;

/** In random order, so that an unreadable one does not block others. */
export const findSecretsSealedBy = (db: Database, keyId: string, limit: number) =>
  readRows(db)`select ${SECRET} from (${SEALED}) where sealed like ${`${keyId}.%`}
    order by random() limit ${limit}`;

/** One that has changed since is left alone. Returns how many were replaced. */
export async function replaceSealed(
  db: Database,
  changes: { secret: SealedSecret; sealed: string }[],
): Promise<number> {
  const updated = await runBatch(
    db,
    changes.map(({ secret: { kind, id, sealed: before }, sealed }) => {
      const [table, column, key] = PLACES[kind].map(raw);
      return sql`update ${table} set ${column} = ${sealed}
        where ${key} = ${id} and ${column} = ${before} returning 1`;
    }),
  );
  return updated.flat().length;
}

const COUNT = select({
  keyId: text("substr(sealed, 1, instr(sealed, '.') - 1)"),
  secrets: number("count(*)"),
});

export const countSealedByKey = (db: Database) =>
  readRows(db)`select ${COUNT} from (${SEALED}) group by 1`;
