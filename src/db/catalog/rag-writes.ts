import type { RagId } from "../../core/ids.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import { idOfKey, readPage, type Slice } from "../page.ts";
import {
  fittingChunks,
  RAG,
  RAG_JOINS,
  removalSql,
  vectorSourceSql,
  type RagColumn,
} from "../records.ts";
import { inferences, rags, type ragGenerations } from "../schema/index.ts";
import { assignSql, columnsOf, pick, select, values, UPDATED } from "../select.ts";
import { raw, runBatch, sql, readRow, readRows, type Database } from "../sql.ts";
import { closeToMembers } from "./open-to-members.ts";
import { insertScopes, replaceScopes, SCOPES_REPLACED } from "./rag-scope-store.ts";

type RagRow = typeof rags.$inferSelect;
/** Settings of a RAG that a change may give. */
type RagSettings = Pick<
  RagRow,
  "status" | Exclude<RagColumn, "id" | "identifier" | "generation" | "updatedAt">
>;

export type NewRagRow = RagSettings &
  Pick<RagRow, "id" | "identifier" | "fileSourceId" | "createdAt"> &
  Pick<
    typeof ragGenerations.$inferSelect,
    "embeddingModel" | "dimensions" | "passagePrefix" | "format" | "vectorsIn"
  > & { scopes: IndexScope[]; longestPassage: number; copyOf?: RagId | null };

/** Writes a RAG, its first generation and its scopes in one step; false: identifier taken. */
export async function insertRag(db: Database, rag: NewRagRow): Promise<boolean> {
  const { id, scopes, createdAt, copyOf = null } = rag;
  const { size, overlap } = fittingChunks(rag.longestPassage);
  const [inserted] = await runBatch(db, [
    sql`insert into rags ${values(rags, { ...rag, comingFiles: 1, scopesDueAt: 0 })}
      on conflict do nothing returning 1`,
    // Writes only if the RAG was written, because it selects from its row. So do its scopes.
    sql`insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
        passage_prefix, chunk_size, chunk_overlap, format, vectors_in, vectors_from, copy_of,
        created_at, changed_at, live_since)
      select id, generation, 'live', ${rag.embeddingModel}, ${rag.dimensions},
        ${rag.passagePrefix}, ${size}, ${overlap}, ${rag.format}, ${rag.vectorsIn},
        ${vectorSourceSql(copyOf, rag)}, ${copyOf}, ${createdAt}, ${createdAt}, ${createdAt}
      from rags r where id = ${id}`,
    insertScopes(id, scopes, createdAt),
  ]);
  return inserted.length > 0;
}

export type RagChange = Partial<RagSettings>;

/** Changes a RAG and, if given, its whole list of scopes, in one step. */
export async function updateRagRow(
  db: Database,
  id: RagId,
  change: RagChange,
  scopes: { replaceBy: IndexScope[]; now: number } | null,
): Promise<void> {
  // A new chunking is built with the deployment's current settings, even if they were refused
  // before.
  const isRechunked = change.chunkSize !== undefined;
  const changed = { ...change, id, ...(isRechunked && { refusedIndex: null }) };
  const isRescoped = scopes !== null || change.scopeMode !== undefined;
  const replaced = isRescoped ? sql`, ${SCOPES_REPLACED}` : raw("");
  await runBatch(db, [
    sql`update rags set ${assignSql(rags, changed)}, ${UPDATED}${replaced} where id = ${id}`,
    ...(scopes === null ? [] : replaceScopes(id, scopes.replaceBy, scopes.now)),
    ...(change.openToMembers === false ? closeToMembers() : []),
  ]);
}

/** Hides a RAG that is not linked; false when it is. */
export const markRagRemoved = async (db: Database, id: RagId, now: number) =>
  (await runBatch(db, [removalSql(id, now)]))[0].length > 0;

const LINKING = select(pick(columnsOf(inferences, "m"), "identifier"));

/** Identifiers of the inferences and agents that link a RAG. */
export async function linksOfRag(db: Database, id: RagId) {
  const linksFrom = (kind: "inference" | "agent") =>
    sql`select ${LINKING} from ${raw(`${kind}_rags l join ${kind}s m on m.id = l.${kind}_id`)}
      where l.rag_id = ${id} order by m.identifier`;
  const [ofInferences, ofAgents] = await runBatch(db, [linksFrom("inference"), linksFrom("agent")]);
  return {
    inferences: ofInferences.map(({ identifier }) => identifier),
    agents: ofAgents.map(({ identifier }) => identifier),
  };
}

const FROM = sql`from rags r ${RAG_JOINS} where r.removed_at is null`;

/** By id or identifier, an id takes precedence. Null when there is none or it was removed. */
export const findRagRecord = (db: Database, key: string) =>
  readRow(db)`select ${RAG} ${FROM} and r.id = ${idOfKey("rags", key)}`;

/** The RAG that another one was made as a copy of; null: none, or it was removed. */
export const findOriginal = (db: Database, { id }: Pick<RagRow, "id">) =>
  readRow(db)`select ${RAG} ${FROM} and r.id = (select copy_of from rag_generations
    where rag_id = ${id} and generation = 1)`;

/** A page of the RAGs in order of identifier. */
export const listRagRecords = (db: Database, slice: Slice) =>
  readPage(db, RAG, { ...slice, from: FROM, order: raw("r.identifier") });

const KNOWN = select(pick(columnsOf(rags), "id", "identifier"));

/** Which of these identifiers name a RAG, with their ids; any number of them. */
export const findRagIds = (db: Database, identifiers: string[], onlyOpen = false) =>
  readRows(db)`select ${KNOWN} from rags indexed by rags_identifier
    where removed_at is null
    and (open_to_members or not ${onlyOpen}) and identifier in (select value from json_each(${identifiers}))`;
