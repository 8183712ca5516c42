import type { Reads } from "../client.ts";
import { RAG_COLUMNS, RAG_JOINS, RAG_ROW, ragFrom } from "../catalog/public-records.ts";
import type { ListedRag } from "../catalog/public-records.ts";
import { flag, number, row, text } from "../columns.ts";
import type { Row, RowReader } from "../columns.ts";
import { query, runBatch } from "../raw-sql.ts";
import { principalQuery } from "./principal-lookup.ts";
import type { Credential, StoredPrincipal } from "./principal-lookup.ts";
import { parameters, permitted } from "./public-lists.ts";
import type { ListSql } from "./public-lists.ts";

const INFERENCE = row({ name: text, identifier: text, createdAt: number, nativeRag: flag });
const AGENT = row({ name: text, identifier: text, createdAt: number, description: text });

/** What a caller may run: an inference or an agent. */
export type CoveredRunner =
  | ({ kind: "inference" } & Row<typeof INFERENCE>)
  | ({ kind: "agent" } & Row<typeof AGENT>);

const readInference: RowReader<CoveredRunner> = (given) => {
  return { kind: "inference", ...INFERENCE(given) };
};
const readAgent: RowReader<CoveredRunner> = (given) => ({ kind: "agent", ...AGENT(given) });

const INFERENCES: ListSql = {
  select: "select m.name, m.identifier, m.created_at as createdAt, m.native_rag as nativeRag",
  table: "inferences m",
  id: "m.id",
  rest: "order by m.identifier",
  links: "token_inferences",
  column: "inference_id",
  flag: "all_inferences",
};

const AGENTS: ListSql = {
  select: "select m.name, m.identifier, m.created_at as createdAt, m.description",
  table: "agents m",
  id: "m.id",
  rest: "order by m.identifier",
  links: "token_agents",
  column: "agent_id",
  flag: "all_agents",
};

const RAGS: ListSql = {
  select: `select ${RAG_COLUMNS}`,
  table: "rags r",
  id: "r.id",
  rest: `${RAG_JOINS} where r.removed_at is null order by r.identifier`,
  links: "token_rags",
  column: "rag_id",
  flag: "all_rags",
};

/** The caller and what it may run: inferences, then agents, by identifier, in one round trip. */
export async function listCoveredRunners(
  db: Reads,
  credential: Credential,
): Promise<{ principal: StoredPrincipal | null; runners: CoveredRunner[] }> {
  const given = parameters(credential);
  const [[principal = null], ...lists] = await runBatch(db, [
    principalQuery(credential),
    ...permitted(credential, INFERENCES).map((sql) => query(readInference, sql, ...given)),
    ...permitted(credential, AGENTS).map((sql) => query(readAgent, sql, ...given)),
  ]);
  return { principal, runners: lists.flat() };
}

/** The caller and the RAGs that it may search, by identifier, in one round trip. */
export async function listCoveredRags(
  db: Reads,
  credential: Credential,
): Promise<{ principal: StoredPrincipal | null; rags: ListedRag[] }> {
  const [[principal = null], ...lists] = await runBatch(db, [
    principalQuery(credential),
    ...permitted(credential, RAGS).map((sql) => query(RAG_ROW, sql, ...parameters(credential))),
  ]);
  return { principal, rags: lists.flat().map(ragFrom) };
}
