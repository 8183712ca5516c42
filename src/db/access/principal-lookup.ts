import type { TokenId } from "../../core/ids.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import { selectScopes } from "../catalog/rag-scope-store.ts";
import { LISTED_RAG, RAG_JOINS } from "../records.ts";
import type { AgentRecord, InferenceRecord, ListedRag } from "../records.ts";
import { agents, inferences, tokens } from "../schema/index.ts";
import { flag, oneOf, columnsOf, pick, select, type Row } from "../select.ts";
import { execute, raw, runBatch, sql } from "../sql.ts";
import type { Database, Reads, Sql, Selection } from "../sql.ts";
import { GRANT_IDLE_MS } from "./grant-store.ts";
import { CALLING } from "./session-store.ts";

/** Identifies a caller: the SHA-256 of a token or of a session's secret. */
export type Credential = { kind: "token" | "session"; hash: string };

const t = columnsOf(tokens, "t");
const TOKEN = select({
  kind: oneOf(["token"], "'token'"),
  tokenId: t.id,
  ...pick(t, "name", "manageScopes", "expiresAt", "lastUsedAt"),
  ...pick(t, "reader", "readerGroups"),
});
const SESSION = select({
  kind: oneOf(["session"], "'session'"),
  ...CALLING,
});

/** The owner of the credential as stored; the caller checks whether it has expired. */
export type StoredPrincipal = Row<typeof TOKEN> | Row<typeof SESSION>;

/** At most one row. */
export const principalQuery = ({ kind, hash }: Credential): Sql<StoredPrincipal> =>
  kind === "token"
    ? sql`select ${TOKEN} from tokens t where t.hash = ${hash}`
    : sql`select ${SESSION} from sessions s join users u on u.id = s.user_id
        where s.hash = ${hash}`;

/**
 * `covered`: the credential may use the resource; a session covers everything. `changing`: an index
 * behind the resource is being rebuilt, and may be replaced at any moment.
 */
type ResourceLookup<Resource> = { resource: Resource; covered: boolean; changing: boolean };
export type Lookup<Resource> = {
  principal: StoredPrincipal | null;
  found: ResourceLookup<Resource> | null;
};

export type PublicRag = ListedRag & { scopes: IndexScope[] };
/** A linked RAG includes its file counts, which split the inference's file list into pages. */
export type PublicInference = Omit<InferenceRecord, "rags"> & { rags: ListedRag[] };
export type PublicAgent = Omit<AgentRecord, "rags"> & { rags: ListedRag[] };

/** The caller alone. */
export async function lookUpPrincipal(
  db: Reads,
  credential: Credential,
): Promise<StoredPrincipal | null> {
  const [[principal = null]] = await runBatch(db, [principalQuery(credential)]);
  return principal;
}

/** Fields of `ResourceLookup` that no resource has. `rags` selects the ids of its RAGs. */
function coverage(
  { kind, hash }: Credential,
  resource: "rag" | "inference" | "agent",
  { id, rags }: { id: string; rags: string },
): Sql {
  const changing = raw(`exists (select 1 from rag_generations b
    where b.rag_id in (${rags}) and b.state = 'building') as changing`);
  if (kind === "session") return sql`1 as covered, ${changing}`;
  const covered = sql`exists (select 1 from tokens t where t.hash = ${hash}
    and (${raw(`t.all_${resource}s = 1`)} or exists (select 1 from ${raw(`token_${resource}s l
      where l.token_id = t.id and l.${resource}_id = ${id}`)})))`;
  return sql`${covered} as covered, ${changing}`;
}

const COVERAGE = { covered: flag("covered"), changing: flag("changing") };
const { read: readCoverage } = select(COVERAGE);

const lookupOf = <Resource>(
  principal: StoredPrincipal | null,
  row: Record<string, unknown> | undefined,
  read: (row: Record<string, unknown>) => Resource,
): Lookup<Resource> => {
  if (row === undefined) return { principal, found: null };
  return { principal, found: { resource: read(row), ...readCoverage(row) } };
};

/** The caller and a RAG with its scopes, in one round trip. */
export async function lookUpRag(
  db: Reads,
  credential: Credential,
  identifier: string,
): Promise<Lookup<PublicRag>> {
  const [[principal = null], [row], scopes] = await runBatch(db, [
    principalQuery(credential),
    sql`select ${LISTED_RAG.sql}, ${coverage(credential, "rag", { id: "r.id", rags: "r.id" })}
      from rags r ${RAG_JOINS} where r.identifier = ${identifier} and r.removed_at is null`,
    selectScopes(sql`(select id from rags
      where identifier = ${identifier} and removed_at is null)`),
  ]);
  return lookupOf(principal, row, (rag) => ({ ...LISTED_RAG.read(rag), scopes }));
}

/** The caller and an inference or agent with its linked RAGs, in one round trip. */
const lookUpRunner =
  <Runner extends object>(kind: "inference" | "agent", runner: Selection<Runner>) =>
  async (
    db: Reads,
    credential: Credential,
    identifier: string,
  ): Promise<Lookup<Runner & { rags: ListedRag[] }>> => {
    const table = raw(`${kind}s`);
    const links = `${kind}_rags l where l.${kind}_id`;
    const behind = { id: "m.id", rags: `select l.rag_id from ${links} = m.id` };
    const [[principal = null], [row], rags] = await runBatch(db, [
      principalQuery(credential),
      sql`select ${runner.sql}, ${coverage(credential, kind, behind)}
        from ${table} m where m.identifier = ${identifier}`,
      sql`select ${LISTED_RAG} from ${raw(`${kind}_rags`)} l join rags r on r.id = l.rag_id ${RAG_JOINS}
        where ${raw(`l.${kind}_id`)} = (select id from ${table} where identifier = ${identifier})
          and r.removed_at is null order by r.identifier`,
    ]);
    return lookupOf(principal, row, (fields) => ({ ...runner.read(fields), rags }));
  };

export const lookUpInference = lookUpRunner("inference", select(columnsOf(inferences, "m")));
export const lookUpAgent = lookUpRunner("agent", select(columnsOf(agents, "m")));

/** Records a token's use, at most once a minute; never delays an answer. A grant lives on. */
export const touchToken = (db: Database, id: TokenId, now: number, before: number) =>
  execute(db)`update tokens set last_used_at = ${now}, expires_at =
      case when granted_by is null then expires_at else ${now + GRANT_IDLE_MS} end
    where id = ${id} and (last_used_at is null or last_used_at <= ${before})`;
