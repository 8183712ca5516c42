import { readTokenHashes } from "../access/token-store.ts";
import { keys, tokens, users } from "../schema/index.ts";
import { columnsOf, namedColumns, pick, select } from "../select.ts";
import { portionsOf, raw, readRows, runBatch, sql, type Database } from "../sql.ts";

const [u, k] = [columnsOf(users, "u"), columnsOf(keys, "k")];
const USER = select(pick(u, "email", "role", "createdAt"));
const { createdBy: _id, ...ofKey } = k;
const KEY = select({ ...ofKey, createdBy: u.email });

export const ACCESS_KINDS = ["users", "keys", "tokens"] as const;
/** Users, automation keys and tokens; what tokens name by identifier. */
export type Access = Record<(typeof ACCESS_KINDS)[number], Record<string, unknown>[]>;

/** Connected programs are not among the tokens: their people connect again. */
export const readAccess = async (db: Database) => ({
  users: await readRows(db)`select ${USER} from users u order by u.email`,
  keys: await readRows(
    db,
  )`select ${KEY} from keys k join users u on u.id = k.created_by order by k.id`,
  tokens: await readTokenHashes(db),
});

const USERS = namedColumns(users, "id", "email", "role", "createdAt");
const KEYS = namedColumns(keys, "id", "name", "hash", "role", "createdAt", "expiresAt");
const TOKENS = namedColumns(
  tokens,
  ...(["id", "name", "hash", "manageScopes", "reader", "readerGroups"] as const),
  ...(["createdAt", "expiresAt"] as const),
);
const coversAllSql = (kind: string) => `coalesce(m.value ->> '$.${kind}s[0]' = '*', 0)`;
const COVERAGE = raw(["agent", "inference", "rag"].map(coversAllSql).join(", "));

/** Things that tokens name, of one kind. */
const linksOf = (kind: "agent" | "inference" | "rag") => (some: object[]) =>
  sql`insert or ignore into ${raw(`token_${kind}s (token_id, ${kind}_id)`)}
    select t.id, o.id from json_each(${some}) m
    cross join tokens t on t.id = m.value ->> 'id' and t.hash = m.value ->> 'hash'
    cross join json_each(m.value, ${`$.${kind}s`}) n
    cross join ${raw(`${kind}s`)} o on o.identifier = n.value
      ${raw(kind === "rag" ? "and o.removed_at is null" : "")}`;

/** Writes what is not there yet, users without a password; later calls add later things of tokens. */
export async function writeAccess(db: Database, access: Access): Promise<void> {
  const tokenPortions = portionsOf(access.tokens);
  await runBatch(db, [
    ...portionsOf(access.users).map(
      (some) => sql`insert into users (${USERS.columns}, password_hash)
        select ${USERS.values}, '' from json_each(${some}) m where true on conflict do nothing`,
    ),
    ...portionsOf(access.keys).map(
      (some) => sql`insert into keys (${KEYS.columns}, created_by)
        select ${KEYS.values}, u.id from json_each(${some}) m
        join users u on u.email = m.value ->> 'createdBy' where true on conflict do nothing`,
    ),
    ...tokenPortions.map(
      (some) => sql`insert into tokens (${TOKENS.columns}, all_agents, all_inferences, all_rags)
        select ${TOKENS.values}, ${COVERAGE} from json_each(${some}) m
        where true on conflict do nothing`,
    ),
    ...tokenPortions.map(linksOf("agent")),
    ...tokenPortions.map(linksOf("inference")),
    ...tokenPortions.map(linksOf("rag")),
  ]);
}
