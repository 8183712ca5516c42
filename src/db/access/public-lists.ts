import { r, s, RAG_FIELDS, RAG_JOINS, LISTED_RAG, type ListedRag } from "../records.ts";
import { inferenceRags, inferences, agents } from "../schema/index.ts";
import { columnsOf, pick, select, oneOf, type Row } from "../select.ts";
import { raw, runBatch, sql, type Reads, type Selection, type Sql } from "../sql.ts";
import { principalQuery, type Credential, type StoredPrincipal } from "./principal-lookup.ts";

const TABLES = {
  rag: { from: raw("rags r"), id: raw("r.id") },
  inference: { from: raw("inferences m"), id: raw("m.id") },
  agent: { from: raw("agents m"), id: raw("m.id") },
};

/**
 * A session sees all; a token sees all by its flag, or what it names. Of the two statements at
 * most one returns rows, so that a token for one RAG does not read the other 500. `cross join`
 * keeps SQLite from reversing the join order.
 */
function selectPermitted<Row>(
  { kind: caller, hash }: Credential,
  kind: keyof typeof TABLES,
  columns: Selection<Row>,
  rest: Sql,
): Sql<Row>[] {
  const { from, id } = TABLES[kind];
  if (caller === "session") return [sql`select ${columns} from ${from} ${rest}`];
  const token = tokenSql(hash);
  const all = raw(`t.all_${kind}s`);
  return [
    sql`select ${columns} from ${token} cross join ${from} on ${all} = 1 ${rest}`,
    sql`select ${columns} from ${token}
      cross join ${raw(`token_${kind}s`)} l on l.token_id = t.id and ${all} = 0
      join ${from} on ${id} = ${raw(`l.${kind}_id`)} ${rest}`,
  ];
}

/** Follows `from rags r`: those that are not removed, in order of identifier. */
const IN_ORDER = sql`${RAG_JOINS} where r.removed_at is null order by r.identifier`;

const COUNTS = ["totalFiles", "processedFiles", "numberVectors"] as const;
const RAG_ITEM = select(
  pick(
    RAG_FIELDS,
    ...(["id", "name", "identifier", "status", ...COUNTS, "fileSource"] as const),
    ...(["generation", "readersSince"] as const),
  ),
);

/** The caller and the RAGs that the credential covers, by identifier, in one round trip. */
const coveredRags =
  <Rag>(selection: Selection<Rag>) =>
  async (db: Reads, credential: Credential) => {
    const [[principal = null], ...lists] = await runBatch(db, [
      principalQuery(credential),
      ...selectPermitted(credential, "rag", selection, IN_ORDER),
    ]);
    return { principal, rags: lists.flat() };
  };

export const listPublicRags = coveredRags(RAG_ITEM);
/** Lists covered RAGs with all that a search needs. */
export const listCoveredRags = coveredRags<ListedRag>(LISTED_RAG);

const m = columnsOf(inferences, "m");
const INFERENCE = select(pick(m, "id", "name", "identifier", "createdAt", "nativeRag"));
const LINK = select(columnsOf(inferenceRags, "l"));
const LINKED_RAG = select({
  id: r.id,
  source: {
    ragIdentifier: r.identifier,
    ragName: r.name,
    ...pick(s, "identifier", "provider"),
  },
});

export type LinkedSource = Row<typeof LINKED_RAG>["source"];

export type InferenceItem = Omit<Row<typeof INFERENCE>, "id"> & { fileSources: LinkedSource[] };

const tokenSql = (hash: string) => sql`(select * from tokens where hash = ${hash}) t`;

const FROM_RAGS = raw(`cross join rags r on r.id = linked.id and r.removed_at is null
  cross join file_sources s on s.id = r.file_source_id`);
/** Each linked RAG once: steps over the index of the links, whatever their number. */
const ALL_LINKED = raw(`with recursive linked (id) as (
  select min(rag_id) from inference_rags
  union all
  select (select min(rag_id) from inference_rags where rag_id > linked.id) from linked
  where linked.id is not null)`);

/** The links of the inferences that the credential covers, and the RAGs behind them. */
function linksOf({ kind, hash }: Credential) {
  if (kind === "session") {
    return {
      links: sql`select ${LINK} from inference_rags l`,
      rags: [sql`${ALL_LINKED} select ${LINKED_RAG} from linked ${FROM_RAGS}`],
    };
  }
  const inferenceRows = sql`${tokenSql(hash)} cross join token_inferences n
    on n.token_id = t.id and t.all_inferences = 0
    cross join inference_rags l on l.inference_id = n.inference_id`;
  return {
    links: sql`select ${LINK} from ${tokenSql(hash)}
        cross join inference_rags l on t.all_inferences = 1
      union all select ${LINK} from ${inferenceRows}`,
    rags: [
      sql`${ALL_LINKED} select ${LINKED_RAG} from ${tokenSql(hash)}
        cross join linked on t.all_inferences = 1 ${FROM_RAGS}`,
      sql`select ${LINKED_RAG} from (select distinct l.rag_id as id from ${inferenceRows}) linked
        ${FROM_RAGS}`,
    ],
  };
}

/**
 * Lists inferences that the caller may use, by identifier, in one round trip that reads each RAG
 * once.
 */
export async function listPublicInferences(
  db: Reads,
  credential: Credential,
): Promise<{ principal: StoredPrincipal | null; items: InferenceItem[] }> {
  const { links, rags: ofLinks } = linksOf(credential);
  const [[principal = null], linked, ...pages] = await runBatch(db, [
    principalQuery(credential),
    links,
    ...selectPermitted(credential, "inference", INFERENCE, raw("order by m.identifier")),
    ...ofLinks,
  ]);
  const rows = pages.flat();
  const inferenceRows = rows.flatMap((row) => ("source" in row ? [] : [row]));
  const ragRows = rows.flatMap((row) => ("source" in row ? [row] : []));
  const sources = new Map(ragRows.map(({ id, source }) => [id, source]));
  const byInference = Map.groupBy(linked, ({ from }) => from);
  const items = inferenceRows.map(({ id, ...item }) => {
    const visible = (byInference.get(id) ?? []).flatMap(({ to }) => sources.get(to) ?? []);
    return Object.assign(item, { fileSources: visible.toSorted(compareByRag) });
  });
  return { principal, items };
}

/** Identifiers are of ASCII letters, so that this is the order of the database. */
const compareByRag = (a: LinkedSource, b: LinkedSource) =>
  a.ragIdentifier < b.ragIdentifier ? -1 : 1;

const RUN_INFERENCE = select({
  kind: oneOf(["inference"], "'inference'"),
  ...pick(columnsOf(inferences, "m"), "name", "identifier", "createdAt", "nativeRag"),
});
const RUN_AGENT = select({
  kind: oneOf(["agent"], "'agent'"),
  ...pick(columnsOf(agents, "m"), "name", "identifier", "createdAt", "description"),
});

export type CoveredRunner = Row<typeof RUN_INFERENCE> | Row<typeof RUN_AGENT>;

/** Which identifiers are listed: both ends are left out. */
type IdentifierRange = { above: string; below: string };

/** Sorts behind every identifier (core/ids.ts). */
const END = "~";
const ALL_IDENTIFIERS: IdentifierRange = { above: "", below: END };
/** Without `beginning` itself. */
export const identifiersFrom = (beginning: string): IdentifierRange => {
  return { above: beginning, below: beginning + END };
};

/** A slice of inferences, then agents, by identifier; null: none of that kind. */
export type RunnerSlice = {
  inferences: IdentifierRange | null;
  agents: IdentifierRange | null;
  /** Bounds inferences and agents together. */
  limit: number;
};

/** Lists runners after an entry; null: from the beginning. */
export function runnersAfter(
  last: { kind: string; identifier: string } | null,
  limit: number,
): RunnerSlice {
  const after = last === null ? ALL_IDENTIFIERS : { above: last.identifier, below: END };
  if (last?.kind === "agent") return { inferences: null, agents: after, limit };
  return { inferences: after, agents: ALL_IDENTIFIERS, limit };
}

/** The caller and what of a slice it may run, in one round trip. `hasMore`: the slice was cut. */
export async function listCoveredRunners(
  db: Reads,
  credential: Credential,
  slice: RunnerSlice,
): Promise<{ principal: StoredPrincipal | null; runners: CoveredRunner[]; hasMore: boolean }> {
  const { limit } = slice;
  const runnersOf = <Runner>(
    kind: "inference" | "agent",
    selection: Selection<Runner>,
    between: IdentifierRange | null,
  ) => {
    if (between === null) return [];
    const rest = sql`where m.identifier > ${between.above} and m.identifier < ${between.below}
      order by m.identifier limit ${limit + 1}`;
    return selectPermitted(credential, kind, selection, rest);
  };
  const [[principal = null], ...pages] = await runBatch(db, [
    principalQuery(credential),
    ...runnersOf("inference", RUN_INFERENCE, slice.inferences),
    ...runnersOf("agent", RUN_AGENT, slice.agents),
  ]);
  const runners = pages.flat();
  return { principal, runners: runners.slice(0, limit), hasMore: runners.length > limit };
}
