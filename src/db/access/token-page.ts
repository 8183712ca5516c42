import type { TokenId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { flag, id, nullable, number, row, text, textList } from "../columns.ts";
import type { Row } from "../columns.ts";
import { readNamedPage } from "../keyset.ts";
import type { KeyedPage, PageAt } from "../keyset.ts";
import { readRow } from "../raw-sql.ts";

/** Resources of one kind that a line of the list names. */
const NAMED = 5;

const TOKEN_LINE = row({
  id: id<TokenId>(),
  name: text,
  allAgents: flag,
  allInferences: flag,
  allRags: flag,
  agents: textList,
  inferences: textList,
  rags: textList,
  /** Whether there are more than are named. */
  namesMore: flag,
  manageScopes: flag,
  createdAt: number,
  expiresAt: nullable(number),
  lastUsedAt: nullable(number),
});
export type TokenLine = Row<typeof TOKEN_LINE>;

const namesOf = (kind: "agent" | "inference" | "rag") => {
  const from = (limit: number) => `(select o.identifier from token_${kind}s l
    join ${kind}s o on o.id = l.${kind}_id where l.token_id = t.id limit ${limit})`;
  return {
    names: `(select json_group_array(identifier) from ${from(NAMED)}) as ${kind}s`,
    isMore: `(select count(*) from ${from(NAMED + 1)}) > ${NAMED}`,
  };
};
const [AGENTS, INFERENCES, RAGS] = [namesOf("agent"), namesOf("inference"), namesOf("rag")];

const SELECT = `select t.id, t.name, t.all_agents as allAgents, t.all_inferences as allInferences,
  t.all_rags as allRags, ${AGENTS.names}, ${INFERENCES.names}, ${RAGS.names},
  ${AGENTS.isMore} or ${INFERENCES.isMore} or ${RAGS.isMore} as namesMore,
  t.manage_scopes as manageScopes, t.created_at as createdAt, t.expires_at as expiresAt,
  t.last_used_at as lastUsedAt
  from tokens t`;

/**
 * A page of the tokens, the newest first, with the first of what they name. With a prefix those
 * whose names begin so, in order of name.
 */
export async function listTokenLines(
  db: Database,
  at: PageAt,
  prefix = "",
): Promise<KeyedPage<TokenLine>> {
  return await readNamedPage(db, at, { read: TOKEN_LINE, select: SELECT, alias: "t", prefix });
}

/** One token as the list shows it; null when there is none. */
export async function findTokenLine(db: Database, key: string): Promise<TokenLine | null> {
  return await readRow(db, TOKEN_LINE, `${SELECT} where t.id = ?1`, key);
}
