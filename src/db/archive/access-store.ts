import { readTokenHashes } from "../access/token-store.ts";
import { keys, tokens, users } from "../schema/index.ts";
import { columnsOf, namedColumns, pick, select } from "../select.ts";
import { portionsOf, raw, readRows, runBatch, sql, type Database } from "../sql.ts";

const [u, k] = [columnsOf(users, "u"), columnsOf(keys, "k")];
const USER = select(pick(u, "email", "role", "createdAt"));
const KEY = select({
  ...pick(k, "id", "name", "hash", "role", "createdAt", "expiresAt"),
  createdBy: u.email,
});

/** Users, automation keys and tokens. Connected programs are not among them: people connect again. */
export async function readAccess(db: Database) {
  const [userRows, keyRows, tokenRows] = await Promise.all([
    readRows(db)`select ${USER} from users u order by u.email`,
    readRows(db)`select ${KEY} from keys k cross join users u on u.id = k.created_by order by k.id`,
    readTokenHashes(db),
  ]);
  return { users: userRows, keys: keyRows, tokens: tokenRows };
}

type NewUser = Pick<typeof users.$inferSelect, "id" | "email" | "role" | "createdAt">;
type NewKey = Omit<typeof keys.$inferSelect, "createdBy"> & { createdBy: string };
/** `rags` and the others: identifiers. */
type Token = Omit<typeof tokens.$inferSelect, "readerGroups" | "lastUsedAt"> & {
  readerGroups: string[];
  rags: string[];
  inferences: string[];
  agents: string[];
};
type Unset = "grantedBy" | "clientId" | "clientHost" | "refreshedUntil" | "lastRefresh";
export type NewAccess = { users: NewUser[]; keys: NewKey[]; tokens: Omit<Token, Unset>[] };

const USERS = namedColumns(users, "id", "email", "role", "createdAt");
const KEYS = namedColumns(keys, "id", "name", "hash", "role", "createdAt", "expiresAt");
const TOKENS = namedColumns(
  tokens,
  ...(["id", "name", "hash", "allAgents", "allInferences", "allRags", "manageScopes"] as const),
  ...(["reader", "readerGroups", "createdAt", "expiresAt"] as const),
);

/** Things that tokens name, of one kind. */
const linksOf = (kind: "agent" | "inference" | "rag") => (some: object[]) =>
  sql`insert or ignore into ${raw(`token_${kind}s (token_id, ${kind}_id)`)}
    select t.id, o.id from json_each(${some}) m
    cross join tokens t on t.id = m.value ->> 'id' and t.hash = m.value ->> 'hash'
    cross join json_each(m.value, ${`$.${kind}s`}) n
    cross join ${raw(`${kind}s`)} o on o.identifier = n.value
      ${raw(kind === "rag" ? "and o.removed_at is null" : "")}`;

/** Writes what is not there yet, users without a password; later calls add later things of tokens. */
export async function writeAccess(db: Database, access: NewAccess): Promise<void> {
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
      (some) => sql`insert into tokens (${TOKENS.columns})
        select ${TOKENS.values} from json_each(${some}) m where true on conflict do nothing`,
    ),
    ...tokenPortions.map(linksOf("agent")),
    ...tokenPortions.map(linksOf("inference")),
    ...tokenPortions.map(linksOf("rag")),
  ]);
}
