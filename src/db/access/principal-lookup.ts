import type { AgentId, InferenceId, TokenId, UserId } from "../../core/ids.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Database, Reads } from "../client.ts";
import {
  RAG_COLUMNS,
  RAG_JOINS,
  RAG_ROW,
  ragFrom,
  type ListedRag,
} from "../catalog/public-records.ts";
import {
  flag,
  id,
  nullable,
  number,
  oneOf,
  row,
  text,
  type Row,
  type RowReader,
} from "../columns.ts";
import { query, runBatch, statement, type Statement } from "../raw-sql.ts";
import { ROLES } from "../schema/access.ts";
import { SCOPE_TYPES } from "../schema/rags.ts";
import type { AgentRecord, InferenceRecord } from "../records.ts";

/** What a caller presents: the SHA-256 of a token or of a session's secret. */
export type Credential = { kind: "token" | "session"; hash: string };

const TOKEN_ROW = row({
  tokenId: id<TokenId>(),
  name: text,
  manageScopes: flag,
  expiresAt: nullable(number),
  lastUsedAt: nullable(number),
});
const SESSION_ROW = row({
  userId: id<UserId>(),
  email: text,
  role: oneOf(ROLES),
  createdAt: number,
  lastSeenAt: number,
  hasTotp: flag,
});

/** The owner of the credential as stored; the caller checks whether it has expired. */
export type StoredPrincipal =
  | ({ kind: "token" } & Row<typeof TOKEN_ROW>)
  | ({ kind: "session"; hash: string } & Row<typeof SESSION_ROW>);

/**
 * `covered`: the credential may use the resource; a session covers everything. `changing`: an index
 * behind the resource is being rebuilt, and may be replaced at any moment.
 */
type Found<Resource> = { resource: Resource; covered: boolean; changing: boolean };
export type Lookup<Resource> = {
  principal: StoredPrincipal | null;
  found: Found<Resource> | null;
};

/** A linked RAG includes its file counts, which split the inference's file list into pages. */
type Linked<Record> = Omit<Record, "rags"> & { rags: ListedRag[] };
export type PublicRag = ListedRag & { scopes: IndexScope[] };
export type PublicInference = Linked<InferenceRecord>;
export type PublicAgent = Linked<AgentRecord>;

const TOKEN = `select id as tokenId, name, manage_scopes as manageScopes, expires_at as expiresAt,
    last_used_at as lastUsedAt
  from tokens where hash = ?1`;
const SESSION = `select s.user_id as userId, u.email, u.role, s.created_at as createdAt,
    s.last_seen_at as lastSeenAt, exists (select 1 from user_totp t
      where t.user_id = s.user_id and t.confirmed_at is not null) as hasTotp
  from sessions s join users u on u.id = s.user_id where s.hash = ?1`;

/** At most one row. */
export function principalQuery({ kind, hash }: Credential): Statement<StoredPrincipal> {
  return kind === "token"
    ? query((given) => ({ kind, ...TOKEN_ROW(given) }), TOKEN, hash)
    : query((given) => ({ kind, hash, ...SESSION_ROW(given) }), SESSION, hash);
}

/** The caller alone. */
export async function lookUpPrincipal(
  db: Reads,
  credential: Credential,
): Promise<StoredPrincipal | null> {
  const [[principal = null]] = await runBatch(db, [principalQuery(credential)]);
  return principal;
}

type Group = { all: string; links: string; column: string };
const RAGS: Group = { all: "all_rags", links: "token_rags", column: "rag_id" };
const INFERENCES = { all: "all_inferences", links: "token_inferences", column: "inference_id" };
const AGENTS = { all: "all_agents", links: "token_agents", column: "agent_id" };

/** Whether the token ?1 covers the resource `id`; a session always does. */
function coveredSql(kind: Credential["kind"], { all, links, column }: Group, id: string): string {
  if (kind === "session") return "1";
  return `exists (select 1 from tokens t where t.hash = ?1 and (t.${all} = 1 or exists (
    select 1 from ${links} l where l.token_id = t.id and l.${column} = ${id})))`;
}

/** Whether one of the RAGs that `rags` selects is being rebuilt. */
const changingSql = (rags: string) => `exists (select 1 from rag_generations b
  where b.rag_id in (${rags}) and b.state = 'building')`;

const COVERED = row({ covered: flag, changing: flag });
const SCOPE = row({ type: oneOf(SCOPE_TYPES), value: text });

/** A resource as a look-up returns it. */
const found =
  <Resource>(read: RowReader<Resource>): RowReader<Found<Resource>> =>
  (given) => ({ resource: read(given), ...COVERED(given) });

const READ_RAG: RowReader<ListedRag> = (given) => ragFrom(RAG_ROW(given));
const FOUND_RAG = found(READ_RAG);

/** The caller and a RAG with its scopes, in one round trip. */
export async function lookUpRag(
  db: Reads,
  credential: Credential,
  identifier: string,
): Promise<Lookup<PublicRag>> {
  const covered = coveredSql(credential.kind, RAGS, "r.id");
  const [[principal = null], [rag], scopes] = await runBatch(db, [
    principalQuery(credential),
    query(
      FOUND_RAG,
      `select ${RAG_COLUMNS}, ${covered} as covered, ${changingSql("r.id")} as changing
       from rags r ${RAG_JOINS}
       where r.identifier = ?2 and r.removed_at is null`,
      credential.hash,
      identifier,
    ),
    query(
      SCOPE,
      `select type, value from rag_scopes where rag_id = (
         select id from rags where identifier = ?1 and removed_at is null)
       order by type, value`,
      identifier,
    ),
  ]);
  return { principal, found: rag === undefined ? null : withLinks(rag, { scopes }) };
}

const LINKED_SETTINGS = `m.name, m.identifier, m.system_prompt as systemPrompt, m.model,
  m.temperature, m.max_output_tokens as maxOutputTokens, m.created_at as createdAt`;

const SETTINGS = {
  name: text,
  identifier: text,
  systemPrompt: text,
  model: text,
  temperature: nullable(number),
  maxOutputTokens: nullable(number),
  createdAt: number,
};
const FOUND_INFERENCE = found(row({ ...SETTINGS, id: id<InferenceId>(), nativeRag: flag }));
const FOUND_AGENT = found(
  row({ ...SETTINGS, id: id<AgentId>(), description: text, maxSteps: number }),
);

/** RAGs linked to the resource named ?1 in `table`, in order of identifier. */
const linkedRags = (table: string, links: string, column: string) =>
  `select ${RAG_COLUMNS} from ${links} l join rags r on r.id = l.rag_id ${RAG_JOINS}
   where l.${column} = (select id from ${table} where identifier = ?1) and r.removed_at is null
   order by r.identifier`;

const linkedIds = (links: string, column: string) =>
  `select l.rag_id from ${links} l where l.${column} = m.id`;

const INFERENCE_RAGS = linkedRags("inferences", "inference_rags", "inference_id");
const AGENT_RAGS = linkedRags("agents", "agent_rags", "agent_id");

/** The caller and an inference with its linked RAGs, in one round trip. */
export async function lookUpInference(
  db: Reads,
  credential: Credential,
  identifier: string,
): Promise<Lookup<PublicInference>> {
  const covered = coveredSql(credential.kind, INFERENCES, "m.id");
  const [[principal = null], [inference], rags] = await runBatch(db, [
    principalQuery(credential),
    query(
      FOUND_INFERENCE,
      `select m.id, ${LINKED_SETTINGS}, m.native_rag as nativeRag, ${covered} as covered,
         ${changingSql(linkedIds("inference_rags", "inference_id"))} as changing
       from inferences m where m.identifier = ?2`,
      credential.hash,
      identifier,
    ),
    query(READ_RAG, INFERENCE_RAGS, identifier),
  ]);
  return { principal, found: inference === undefined ? null : withLinks(inference, { rags }) };
}

/** The caller and an agent with its linked RAGs, in one round trip. */
export async function lookUpAgent(
  db: Reads,
  credential: Credential,
  identifier: string,
): Promise<Lookup<PublicAgent>> {
  const covered = coveredSql(credential.kind, AGENTS, "m.id");
  const [[principal = null], [agent], rags] = await runBatch(db, [
    principalQuery(credential),
    query(
      FOUND_AGENT,
      `select m.id, ${LINKED_SETTINGS}, m.description, m.max_steps as maxSteps,
         ${covered} as covered,
         ${changingSql(linkedIds("agent_rags", "agent_id"))} as changing
       from agents m where m.identifier = ?2`,
      credential.hash,
      identifier,
    ),
    query(READ_RAG, AGENT_RAGS, identifier),
  ]);
  return { principal, found: agent === undefined ? null : withLinks(agent, { rags }) };
}

const withLinks = <Resource extends object, Links extends object>(
  { resource, ...found }: Found<Resource>,
  links: Links,
) => ({ resource: { ...resource, ...links }, ...found });

/** Records a token's use, at most once a minute; never delays an answer. */
export async function touchToken(db: Database, id: TokenId, now: number, before: number) {
  await runBatch(db, [
    statement(
      `update tokens set last_used_at = ?2
       where id = ?1 and (last_used_at is null or last_used_at <= ?3)`,
      id,
      now,
      before,
    ),
  ]);
}
