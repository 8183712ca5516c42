import type { Reads } from "../client.ts";
import { RAG_FIELDS, RAG_JOINS } from "../records.ts";
import { fileSources, inferenceRags, inferences, rags } from "../schema/index.ts";
import { columnsOf, pick, select, type Row } from "../select.ts";
import { joined, raw, runBatch, sql, type Selection, type Sql } from "../sql.ts";
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
export function permitted(
  { kind: caller, hash }: Credential,
  kind: keyof typeof TABLES,
  columns: Sql | Selection<unknown>,
  rest: Sql,
): Sql[] {
  const { from, id } = TABLES[kind];
  if (caller === "session") return [sql`select ${columns} from ${from} ${rest}`];
  const token = sql`(select * from tokens where hash = ${hash}) t`;
  const all = raw(`t.all_${kind}s`);
  return [
    sql`select ${columns} from ${token} cross join ${from} on ${all} = 1 ${rest}`,
    sql`select ${columns} from ${token}
      cross join ${raw(`token_${kind}s`)} l on l.token_id = t.id and ${all} = 0
      join ${from} on ${id} = ${raw(`l.${kind}_id`)} ${rest}`,
  ];
}

/** Follows `from rags r`: those that are not removed, in order of identifier. */
export const IN_ORDER = sql`${RAG_JOINS} where r.removed_at is null order by r.identifier`;

const COUNTS = ["totalFiles", "processedFiles", "numberVectors"] as const;
const RAG_ITEM = select(
  pick(RAG_FIELDS, "id", "name", "identifier", "status", ...COUNTS, "fileSource"),
);

/** The caller and the RAGs that the credential covers, by identifier, in one round trip. */
export async function listPublicRags(db: Reads, credential: Credential) {
  const [[principal = null], ...lists] = await runBatch(db, [
    principalQuery(credential),
    ...permitted(credential, "rag", RAG_ITEM, IN_ORDER).map((one) => one.reading(RAG_ITEM)),
  ]);
  return { principal, items: lists.flat() };
}

const m = columnsOf(inferences, "m");
const INFERENCE = select(pick(m, "id", "name", "identifier", "createdAt", "nativeRag"));
const ITEM_ID = select(pick(m, "id"));
const LINK = select(columnsOf(inferenceRags, "l"));
const [r, s] = [columnsOf(rags, "r"), columnsOf(fileSources, "s")];
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

const OF_SEEN = raw("seen cross join inference_rags l on l.inference_id = seen.id");
const SOURCE_OF_RAG = raw("cross join file_sources s on s.id = r.file_source_id");

/** The RAGs that `permitted` inferences link, each read once, whatever the number of links. */
function linkedRags({ kind, hash }: Credential, [, named]: Sql[]): Sql[] {
  const isLinked = raw(`where r.removed_at is null
    and exists (select 1 from inference_rags l where l.rag_id = r.id)`);
  if (kind === "session" || named === undefined) {
    return [sql`select ${LINKED_RAG} from rags r ${SOURCE_OF_RAG} ${isLinked}`];
  }
  return [
    sql`select ${LINKED_RAG} from (select * from tokens where hash = ${hash}) t
      cross join rags r on t.all_inferences = 1 ${SOURCE_OF_RAG} ${isLinked}`,
    sql`with seen (id) as (${named}) select ${LINKED_RAG}
      from (select distinct l.rag_id as id from ${OF_SEEN}) one
      cross join rags r on r.id = one.id ${SOURCE_OF_RAG} where r.removed_at is null`,
  ];
}

/** The caller and the inferences that the credential covers, by identifier, in one round trip. */
export async function listPublicInferences(
  db: Reads,
  credential: Credential,
): Promise<{ principal: StoredPrincipal | null; items: InferenceItem[] }> {
  const ids = permitted(credential, "inference", ITEM_ID, raw(""));
  const [[principal = null], links, ...found] = await runBatch(db, [
    principalQuery(credential),
    sql`with seen (id) as (${joined(ids, " union all ")}) select ${LINK} from ${OF_SEEN}`.reading(
      LINK,
    ),
    ...permitted(credential, "inference", INFERENCE, raw("order by m.identifier")),
    ...linkedRags(credential, ids),
  ]);
  const inferenceRows = found.slice(0, ids.length).flat().map(INFERENCE.read);
  const sources = new Map(
    found
      .slice(ids.length)
      .flat()
      .map(LINKED_RAG.read)
      .map(({ id, source }) => [id, source]),
  );
  const linksOf = Map.groupBy(links, ({ inferenceId }) => inferenceId);
  const items = inferenceRows.map(({ id, ...item }) => {
    const linked = (linksOf.get(id) ?? []).flatMap(({ ragId }) => sources.get(ragId) ?? []);
    return Object.assign(item, { fileSources: linked.toSorted(byRag) });
  });
  return { principal, items };
}

/** Identifiers are of ASCII letters, so that this is the order of the database. */
const byRag = (one: LinkedSource, other: LinkedSource) =>
  one.ragIdentifier < other.ragIdentifier ? -1 : 1;
