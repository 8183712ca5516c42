import { notFound } from "../../core/errors.ts";
import type { AgentId, InferenceId, RagId, TokenId, UserId } from "../../core/ids.ts";
import { isInColumns, readPage, readSortedPage, type ListQuery, type Slice } from "../page.ts";
import { textList } from "../schema/columns.ts";
import { tokens } from "../schema/index.ts";
import { flag, oneOf, text, json, columnsOf, select, values, type Row, orNull } from "../select.ts";
import { hasRows, raw, readRow, readRows, runBatch, sql, type Database } from "../sql.ts";

/** Ids that a token names, besides its "all" flags. */
export type TokenGrants = { agents: AgentId[]; inferences: InferenceId[]; rags: RagId[] };

const KINDS = ["agent", "inference", "rag"] as const;
type Kind = (typeof KINDS)[number];

export type TokenRow = Omit<typeof tokens.$inferSelect, "refreshedUntil" | "lastRefresh">;

export const TOKEN_KINDS = ["token", "program"] as const;

/** False: there is a token with its id, which stays as it is. Removed ids are left out. */
export async function insertToken(
  db: Database,
  token: TokenRow,
  grants: TokenGrants,
): Promise<boolean> {
  const grantSql = (kind: Kind) =>
    sql`insert into ${raw(`token_${kind}s (token_id, ${kind}_id)`)}
      select ${token.id}, id from ${raw(`${kind}s`)}
      where id in (select value from json_each(${grants[`${kind}s`]}))`;
  try {
    await runBatch(db, [sql`insert into tokens ${values(tokens, token)}`, ...KINDS.map(grantSql)]);
    return true;
  } catch (thrown) {
    if (await hasRows(db)`select 1 from tokens where id = ${token.id}`) return false;
    throw thrown;
  }
}

const {
  hash,
  grantedBy: _person,
  clientId: _program,
  clientHost,
  refreshedUntil: _refreshed,
  lastRefresh: _last,
  allAgents,
  allInferences,
  allRags,
  ...columns
} = columnsOf(tokens, "t");

/** In a group: all resources of the kind. */
export const ALL = "*";

/** The identifiers that a token `t` names; removed resources are left out. */
const namesOf = (kind: Kind) =>
  json(
    textList,
    `case when t.all_${kind}s then '["${ALL}"]' else (
       select json_group_array(identifier) from (select o.identifier from token_${kind}s l
         join ${kind}s o on o.id = l.${kind}_id
         where l.token_id = t.id ${kind === "rag" ? "and o.removed_at is null" : ""}
         order by o.identifier)) end`,
  );

const groupByKind = (nameOf: (kind: Kind) => ReturnType<typeof namesOf>) => {
  return { agents: nameOf("agent"), inferences: nameOf("inference"), rags: nameOf("rag") };
};

const TOKEN = select({
  ...columns,
  /** A program that a person connected, or a token that the panel made. */
  kind: oneOf(TOKEN_KINDS, "iif(t.granted_by is null, 'token', 'program')"),
  ...groupByKind(namesOf),
});
/** Each group: identifiers, `["*"]` for all (future ones included), or empty for none. */
export type AccessToken = Row<typeof TOKEN>;

const { lastUsedAt: _used, ...settings } = columns;
const HASHED = select({ ...settings, hash, ...groupByKind(namesOf) });
/** Tokens of the panel with what is stored of their secrets, for an archive. */
export const readTokenHashes = (db: Database) =>
  readRows(db)`select ${HASHED} from tokens t where t.granted_by is null order by t.id`;

/** A page of the access tokens in order of name; removed resources are not listed. */
export const listTokens = (db: Database, slice: Slice) =>
  readPage(db, TOKEN, { ...slice, from: raw("from tokens t"), order: raw("t.name, t.id") });

/** Resources of one kind that a line of the list names. */
const NAMED = 5;

const firstOf = (kind: Kind, limit: number) => `(select o.identifier from token_${kind}s l
  join ${kind}s o on o.id = l.${kind}_id where l.token_id = t.id limit ${limit})`;
const firstNames = (kind: Kind) =>
  json(textList, `(select json_group_array(identifier) from ${firstOf(kind, NAMED)})`);
const hasMore = (kind: Kind) => `(select count(*) from ${firstOf(kind, NAMED + 1)}) > ${NAMED}`;

const TOKEN_LINE = select({
  ...columns,
  allAgents,
  allInferences,
  allRags,
  ...groupByKind(firstNames),
  /** A connected program has a host, to which its codes go, and a person who connected it. */
  clientHost,
  person: orNull(text("(select u.email from users u where u.id = t.granted_by)")),
  /** Whether there are more than are named. */
  namesMore: flag(KINDS.map(hasMore).join(" or ")),
});
export type TokenLine = Row<typeof TOKEN_LINE>;

/** The newest first, with the first of what they name. `person`: only programs of this user. */
export const listTokenLines = (
  db: Database,
  query: ListQuery,
  filter: { programs: boolean; person?: UserId | null },
) =>
  readSortedPage(db, query, {
    of: TOKEN_LINE,
    table: raw("tokens t"),
    joins: raw(""),
    where: sql`${raw(`t.granted_by is ${filter.programs ? "not null" : "null"}`)}
      and (${filter.person ?? null} is null or t.granted_by = ${filter.person ?? null})
      and ${isInColumns(["t.name"], query.search)}`,
    id: "t.id",
    order: "desc",
    sorts: {
      name: "t.name",
      used: "coalesce(t.last_used_at, 0)",
      expires: "coalesce(t.expires_at, 0)",
      created: "t.created_at",
    },
  });

/** One token as the list shows it; null when there is none. */
export const findTokenLine = (db: Database, key: string) =>
  readRow(db)`select ${TOKEN_LINE} from tokens t where t.id = ${key}`;

/** The token stops working at once. @throws QuarryError `not-found`. */
export async function removeToken(db: Database, id: TokenId): Promise<void> {
  if (!(await hasRows(db)`delete from tokens where id = ${id} returning 1`)) throw notFound();
}
