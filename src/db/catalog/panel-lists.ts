import type { RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { flag, id, number, oneOf, row, text, textList } from "../columns.ts";
import type { Row, RowReader } from "../columns.ts";
import { beginsWith, prefixBounds, readKeyedPage } from "../keyset.ts";
import type { KeyedPage, PageAt } from "../keyset.ts";
import { readRows } from "../raw-sql.ts";

/*
 * The lists of the panel's pages, in order of identifier. Each is read from its index, so that a
 * page costs the same whatever the number of rows.
 */

/** RAGs linked to one inference or agent that a list names. */
const LINKED_TOLD = 5;

const RAG_LINE = row({
  id: id<RagId>(),
  identifier: text,
  name: text,
  status: oneOf(["active", "paused"]),
  sourceName: text,
  sourceIdentifier: text,
  sourceFailed: flag,
  pending: number,
  processing: number,
  indexed: number,
  error: number,
  passages: number,
  embeddingModel: text,
  isBuilding: flag,
});
export type RagLine = Row<typeof RAG_LINE>;

/** `prefix`: only those whose identifiers begin so; "": all. */
export async function listRagLines(
  db: Database,
  at: PageAt,
  prefix = "",
): Promise<KeyedPage<RagLine>> {
  return await pageOf(
    db,
    { ...at, prefix },
    RAG_LINE,
    `select o.id, o.identifier, o.name, o.status, s.name as sourceName,
       s.identifier as sourceIdentifier, s.status = 'error' as sourceFailed,
       g.pending_files + o.coming_files as pending, g.processing_files as processing,
       g.indexed_files as indexed, g.error_files as error, g.number_vectors as passages,
       g.embedding_model as embeddingModel,
       exists (select 1 from rag_generations b
         where b.rag_id = o.id and b.state = 'building') as isBuilding
     from rags o indexed by rags_identifier
     join file_sources s on s.id = o.file_source_id
     join rag_generations g on g.rag_id = o.id and g.generation = o.generation
     where o.removed_at is null`,
  );
}

const MODEL_LINE = row({
  id: text,
  identifier: text,
  name: text,
  model: text,
  rags: textList,
  moreRags: flag,
});
export type ModelLine = Row<typeof MODEL_LINE>;

/** Inferences or agents with the first of their RAGs; `prefix` as for RAGs. */
export async function listModelLines(
  db: Database,
  kind: "inference" | "agent",
  at: PageAt,
  prefix = "",
): Promise<KeyedPage<ModelLine>> {
  const linked = (limit: number) => `(select r.identifier from ${kind}_rags l
    join rags r on r.id = l.rag_id where l.${kind}_id = o.id limit ${limit})`;
  return await pageOf(
    db,
    { ...at, prefix },
    MODEL_LINE,
    `select o.id, o.identifier, o.name, o.model,
       (select json_group_array(identifier) from ${linked(LINKED_TOLD)}) as rags,
       (select count(*) from ${linked(LINKED_TOLD + 1)}) > ${LINKED_TOLD} as moreRags
     from ${kind}s o where 1`,
  );
}

const CHOICE = row({ identifier: text, name: text });
export type Choice = Row<typeof CHOICE>;

/** What a field can offer at once; more must be typed. */
export const CHOICES_MAX = 300;

const unremoved = (kind: "rag" | "file_source") =>
  `indexed by ${kind}s_identifier where removed_at is null`;

/** Names to choose from, in order of identifier. */
export async function listChoices(
  db: Database,
  kind: "rag" | "inference" | "agent" | "file_source",
): Promise<Choice[]> {
  // Without the hint SQLite sorts all that is not removed.
  const hint = kind === "rag" || kind === "file_source" ? unremoved(kind) : "";
  return await readRows(
    db,
    CHOICE,
    `select identifier, name from ${kind}s ${hint} order by identifier limit ?1`,
    CHOICES_MAX,
  );
}

/** @param sql a select of the table `o` that ends with conditions. */
async function pageOf<Line extends { identifier: string }>(
  db: Database,
  at: PageAt & { prefix: string },
  read: RowReader<Line>,
  sql: string,
): Promise<KeyedPage<Line>> {
  return await readKeyedPage(db, at, {
    read,
    sql: `${sql} and ${beginsWith("o.identifier", 1)}`,
    parameters: prefixBounds(at.prefix),
    columns: ["o.identifier"],
    order: "asc",
    keyOf: ({ identifier }) => [identifier],
  });
}
