import { raw, readRows, sql, type Database, type Selection, type Sql } from "../sql.ts";
import { flag, textList, columnsOf, computed, pick, select, type Row } from "../select.ts";
import { beginsWith, readKeyedPage, type PageAt } from "../page.ts";
import { FILE_COUNTS } from "../records.ts";
import { fileSources, inferences, ragGenerations, rags } from "../schema/index.ts";

/*
 * The lists of the panel's pages, in order of identifier. Each is read from its index, so that a
 * page costs the same whatever the number of rows.
 */

/** RAGs linked to one inference or agent that a list names. */
const LINKED_TOLD = 5;

const [r, g, s] = [
  columnsOf(rags, "r"),
  columnsOf(ragGenerations, "g"),
  columnsOf(fileSources, "s"),
];

const RAG_LINE = select({
  ...pick(r, "id", "identifier", "name", "status"),
  sourceName: s.name,
  sourceIdentifier: s.identifier,
  sourceFailed: computed(flag, "s.status = 'error'"),
  ...FILE_COUNTS,
  passages: g.numberVectors,
  embeddingModel: g.embeddingModel,
  isBuilding: computed(
    flag,
    "exists (select 1 from rag_generations b where b.rag_id = r.id and b.state = 'building')",
  ),
});
export type RagLine = Row<typeof RAG_LINE>;

/** `prefix`: only those whose identifiers begin so; "": all. */
export const listRagLines = (db: Database, at: PageAt, prefix = "") =>
  pageOf(db, at, {
    of: RAG_LINE,
    from: raw(`from rags r indexed by rags_identifier
      join file_sources s on s.id = r.file_source_id
      join rag_generations g on g.rag_id = r.id and g.generation = r.generation
      where r.removed_at is null`),
    column: "r.identifier",
    prefix,
  });

const linked = (kind: "inference" | "agent", limit: number) =>
  `(select r.identifier from ${kind}_rags l
    join rags r on r.id = l.rag_id where l.${kind}_id = o.id limit ${limit})`;

const modelLine = (kind: "inference" | "agent") =>
  select({
    // Those of agents are the same.
    ...pick(columnsOf(inferences, "o"), "id", "identifier", "name", "model"),
    rags: computed(
      textList,
      `(select json_group_array(identifier) from ${linked(kind, LINKED_TOLD)})`,
    ),
    moreRags: computed(
      flag,
      `(select count(*) from ${linked(kind, LINKED_TOLD + 1)}) > ${LINKED_TOLD}`,
    ),
  });
const MODEL_LINES = { inference: modelLine("inference"), agent: modelLine("agent") };
export type ModelLine = Omit<Row<typeof MODEL_LINES.inference>, "id"> & { id: string };

/** Inferences or agents with the first of their RAGs; `prefix` as for RAGs. */
export const listModelLines = (
  db: Database,
  kind: "inference" | "agent",
  at: PageAt,
  prefix = "",
) =>
  pageOf(db, at, {
    of: MODEL_LINES[kind],
    from: raw(`from ${kind}s o where 1`),
    column: "o.identifier",
    prefix,
  });

const CHOICE = select(pick(columnsOf(rags), "identifier", "name"));
export type Choice = Row<typeof CHOICE>;

/** What a field can offer at once; more must be typed. */
export const CHOICES_MAX = 300;

/** Names to choose from, in order of identifier. */
export async function listChoices(
  db: Database,
  kind: "rag" | "inference" | "agent" | "file_source",
): Promise<Choice[]> {
  // Without the hint SQLite sorts all that is not removed.
  const isRemovable = kind === "rag" || kind === "file_source";
  const hint = isRemovable ? `indexed by ${kind}s_identifier where removed_at is null` : "";
  return await readRows(db, CHOICE)`select ${CHOICE} from ${raw(`${kind}s ${hint}`)}
    order by identifier limit ${CHOICES_MAX}`;
}

type Lines<Line> = { of: Selection<Line>; from: Sql; column: string; prefix: string };

/** `from` ends with conditions. */
const pageOf = <Line extends { identifier: string }>(
  db: Database,
  at: PageAt,
  { of, from, column, prefix }: Lines<Line>,
) =>
  readKeyedPage(db, at, {
    of,
    from: sql`${from} and ${beginsWith(column, prefix)}`,
    columns: [column],
    order: "asc",
    keyOf: ({ identifier }) => [identifier],
  });
