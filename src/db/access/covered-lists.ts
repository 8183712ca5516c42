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

/** Which identifiers are listed: both ends are left out. */
type Between = { above: string; below: string };

/** What stands behind every identifier (core/ids.ts). */
const END = "~";
export const ALL_IDENTIFIERS: Between = { above: "", below: END };
export const identifiersAfter = (above: string): Between => ({ above, below: END });
/** Without `beginning` itself. */
export const identifiersFrom = (beginning: string): Between => {
  return { above: beginning, below: beginning + END };
};

const INFERENCES: ListSql = {
  select: "select m.name, m.identifier, m.created_at as createdAt, m.native_rag as nativeRag",
  table: "inferences m",
  id: "m.id",
  rest: "",
  links: "token_inferences",
  column: "inference_id",
  flag: "all_inferences",
};

const AGENTS: ListSql = {
  select: "select m.name, m.identifier, m.created_at as createdAt, m.description",
  table: "agents m",
  id: "m.id",
  rest: "",
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

/** A slice of inferences, then agents, by identifier; null: none of that kind. */
export type RunnerSlice = {
  inferences: Between | null;
  agents: Between | null;
  /** Of both together. */
  limit: number;
};

/** The caller and what of a slice it may run, in one round trip. `hasMore`: the slice was cut. */
export async function listCoveredRunners(
  db: Reads,
  credential: Credential,
  { inferences, agents, limit }: RunnerSlice,
): Promise<{ principal: StoredPrincipal | null; runners: CoveredRunner[]; hasMore: boolean }> {
  const lists = [
    { list: INFERENCES, read: readInference, between: inferences },
    { list: AGENTS, read: readAgent, between: agents },
  ].flatMap(({ between, ...of }) => (between === null ? [] : [{ ...of, between }]));
  const given = parameters(credential);
  const at = given.length + 1;
  const rest = `where m.identifier > ?${at} and m.identifier < ?${at + 1}
    order by m.identifier limit ${limit + 1}`;
  const [[principal = null], ...found] = await runBatch(db, [
    principalQuery(credential),
    ...lists.flatMap(({ list, read, between }) =>
      permitted(credential, { ...list, rest }).map((sql) =>
        query(read, sql, ...given, between.above, between.below),
      ),
    ),
  ]);
  const runners = found.flat();
  return { principal, runners: runners.slice(0, limit), hasMore: runners.length > limit };
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
