import { isInColumns, readSortedPage, type ListQuery } from "../page.ts";
import { FILE_COUNTS, g, r, RAG_JOINS, s } from "../records.ts";
import { textList } from "../schema/columns.ts";
import { inferences, rags } from "../schema/index.ts";
import { flag, number, oneOf, text, json, columnsOf, pick, select, type Row } from "../select.ts";
import { raw, readRows, sql, type Database } from "../sql.ts";

/** In order of identifier, read from its index: a page costs the same at any number of rows. */

/** RAGs linked to one inference or agent that a list names. */
const MAX_LINKED = 5;

const FILES = `(g.pending_files + r.coming_files + g.processing_files + g.indexed_files
  + g.error_files)`;

const RAG_LINE = select({
  ...pick(r, "id", "identifier", "name", "status"),
  files: number(FILES),
  sourceName: s.name,
  sourceIdentifier: s.identifier,
  sourceFailed: flag("s.status = 'error'"),
  ...FILE_COUNTS,
  passages: g.numberVectors,
  embeddingModel: g.embeddingModel,
  isBuilding: flag(
    "exists (select 1 from rag_generations b where b.rag_id = r.id and b.state = 'building')",
  ),
});
export type RagLine = Row<typeof RAG_LINE>;

export const listRagLines = (db: Database, query: ListQuery, mayReadAll: boolean) =>
  readSortedPage(db, query, {
    of: RAG_LINE,
    table: raw("rags r indexed by rags_identifier"),
    joins: RAG_JOINS,
    where: sql`r.removed_at is null and (${mayReadAll} or r.file_source_id in (
        select id from file_sources where permissions = 'off'))
      and ${isInColumns(["r.name", "r.identifier"], query.search)}`,
    id: "r.identifier",
    order: "asc",
    sorts: {
      name: "r.name",
      files: FILES,
      passages: "g.number_vectors",
      model: "g.embedding_model",
    },
  });

const ragsOf = (kind: "inference" | "agent", limit: number) =>
  `(select r.identifier from ${kind}_rags l
    join rags r on r.id = l.rag_id where l.${kind}_id = o.id limit ${limit})`;

const modelLine = (kind: "inference" | "agent") =>
  select({
    // Those of agents are the same.
    ...pick(columnsOf(inferences, "o"), "id", "identifier", "name", "model"),
    rags: json(textList, `(select json_group_array(identifier) from ${ragsOf(kind, MAX_LINKED)})`),
    moreRags: flag(`(select count(*) from ${ragsOf(kind, MAX_LINKED + 1)}) > ${MAX_LINKED}`),
  });
const MODEL_LINES = { inference: modelLine("inference"), agent: modelLine("agent") };
export type ModelLine = Omit<Row<typeof MODEL_LINES.inference>, "id"> & { id: string };

/** Inferences or agents with the first of their RAGs. */
export const listModelLines = (db: Database, kind: "inference" | "agent", query: ListQuery) =>
  readSortedPage(db, query, {
    of: MODEL_LINES[kind],
    table: raw(`${kind}s o`),
    joins: raw(""),
    where: isInColumns(["o.name", "o.identifier"], query.search),
    id: "o.identifier",
    order: "asc",
    sorts: { name: "o.name", model: "o.model" },
  });

/** Kinds of things that have names. Tokens have no page and no identifier: their list is searched. */
const NAMED_KINDS = ["sources", "rags", "inferences", "agents", "tokens"] as const;
const MATCH = select({
  kind: oneOf(NAMED_KINDS, "kind"),
  name: text("name"),
  identifier: text("identifier"),
});
const MAX_MATCHES = 20;

/** Sources, RAGs, inferences, agents and tokens by a part of their names, the shortest first. */
export const findByName = (db: Database, part: string, mayReadAll: boolean) =>
  readRows(db)`select ${MATCH} from (
      select 'sources' kind, name, identifier from file_sources
        where removed_at is null and (${mayReadAll} or permissions = 'off') union all
      select 'rags', name, identifier from rags where removed_at is null and (${mayReadAll}
        or file_source_id in (select id from file_sources where permissions = 'off')) union all
      select 'inferences', name, identifier from inferences union all
      select 'agents', name, identifier from agents union all
      select 'tokens', name, '' from tokens where granted_by is null
    ) where ${isInColumns(["name", "identifier"], part)}
    order by length(name), name limit ${MAX_MATCHES}`;

const CHOICE = select(pick(columnsOf(rags), "identifier", "name"));
export type Choice = Row<typeof CHOICE>;

/** Options that a field offers at once; others must be typed. */
export const MAX_CHOICES = 300;

/** Names to choose from, in order of identifier; `onlyOpen`: those that are open to members. */
export async function listChoices(
  db: Database,
  kind: "rag" | "inference" | "agent" | "file_source",
  onlyOpen = false,
): Promise<Choice[]> {
  // Without the hint SQLite sorts all that is not removed.
  const isRemovable = kind === "rag" || kind === "file_source";
  const restriction = isRemovable
    ? `indexed by ${kind}s_identifier where removed_at is null`
    : "where 1";
  const hint = onlyOpen ? `${restriction} and open_to_members` : restriction;
  return await readRows(db)`select ${CHOICE} from ${raw(`${kind}s ${hint}`)}
    order by identifier limit ${MAX_CHOICES}`;
}

/** Lists the choices of each kind that a call may name. */
export async function choicesByKind(db: Database, onlyOpen = false) {
  const [rag = [], inference = [], agent = []] = await Promise.all(
    (["rag", "inference", "agent"] as const).map((kind) => listChoices(db, kind, onlyOpen)),
  );
  return { rag, inference, agent };
}
