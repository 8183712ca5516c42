import type { RagId } from "../core/ids.ts";
import type { ReadBy } from "../core/principals.ts";
import { fileSources, ragGenerations, rags, type agents, type inferences } from "./schema/index.ts";
import { FILE_STATUSES_BY_PROGRESS } from "./schema/rags.ts";
import { number, oneOf, columnsOf, pick, select, type Row, orNull } from "./select.ts";
import { raw, sql } from "./sql.ts";

/** Columns of `rags r`, `rag_generations g` and `file_sources s`, as all statements call them. */
export const r = columnsOf(rags, "r");
export const g = columnsOf(ragGenerations, "g");
export const s = columnsOf(fileSources, "s");

/** Files of the live generation `g` of a RAG `r` by status; those still to be added are pending. */
export const FILE_COUNTS = {
  pending: number("g.pending_files + r.coming_files"),
  processing: g.processingFiles,
  indexed: g.indexedFiles,
  error: g.errorFiles,
  deleted: g.deletedFiles,
};
/** Counts the files of a RAG, or of a source, by status. */
export type FileCounts = Record<keyof typeof FILE_COUNTS, number>;

const { status: _status, fileSourceId: _of, createdAt: _at, ...rag } = r;
const { comingFiles: _coming, scopesDueAt: _due, scopesRevision: _count, ...publicRag } = rag;
const { refusedIndex: _refused, removedAt: _until, ...ofRag } = publicRag;
/** Columns of a RAG's settings and state: a setting's column needs no other mention here. */
export type RagColumn = keyof typeof ofRag;

/** Fields of a RAG `r` with `RAG_JOINS`. */
export const RAG_FIELDS = {
  ...ofRag,
  /** As the API shows it; a pause by an administrator takes precedence over a failed scan. */
  status: oneOf(
    ["active", "paused", "error"],
    "case when r.status = 'active' and s.status = 'error' then 'error' else r.status end",
  ),
  fileSource: pick(s, "id", "name", "identifier", "provider"),
  ...pick(g, "shards", "vectorsIn", "embeddingModel", "dimensions", "numberVectors"),
  modelChangedAt: g.modelChangedAt,
  /** Passages below this similarity are left out, unless they share words; null: none. */
  unrelatedSimilarity: orNull(number("iif(r.leave_out_unrelated, g.unrelated_similarity, null)")),
  totalFiles: number(
    "g.pending_files + g.processing_files + g.indexed_files + g.error_files + r.coming_files",
  ),
  processedFiles: g.indexedFiles,
  failedFiles: g.errorFiles,
  /** Null: every call reads every file. Else audiences recorded earlier (ms) let nobody in. */
  readersSince: orNull(number("case when s.permissions = 'on' then s.permissions_since end")),
};

/** Follows `from rags r`, or any join that has `r`. */
export const RAG_JOINS = raw(`join file_sources s on s.id = r.file_source_id
  join rag_generations g on g.rag_id = r.id and g.generation = r.generation`);

export const RAG = select(RAG_FIELDS);
/** A RAG with everything a retrieval needs, including its live generation's settings. */
export type RagRecord = Row<typeof RAG> & {
  /** Set where it is known who calls; absent: nobody reads, where permissions are on. */
  readBy?: ReadBy;
};

/** The counts split the RAG's lists into pages; files still to be added are not listed. */
export const LISTED_RAG = select({
  ...RAG_FIELDS,
  fileCounts: { ...FILE_COUNTS, pending: g.pendingFiles },
});
export type ListedRag = Row<typeof LISTED_RAG> & Pick<RagRecord, "readBy">;
/** `rags`: linked RAGs in order of identifier, regardless of the flags. */
export type InferenceRecord = typeof inferences.$inferSelect & { rags: RagRecord[] };

export type AgentRecord = typeof agents.$inferSelect & { rags: RagRecord[] };

type Generation = typeof ragGenerations.$inferSelect;

/** The chunking of a RAG `r` that its embedding model can read. */
export const fittingChunks = (longest: number) => ({
  size: sql`min(r.chunk_size, ${longest})`,
  overlap: sql`min(r.chunk_overlap, ${Math.floor(longest / 2)})`,
});

/** Hides a RAG that is not linked. */
export const removalSql = (id: RagId | null, now: number) =>
  sql`update rags set removed_at = ${now} where id = ${id} and removed_at is null
    and not exists (select 1 from inference_rags where rag_id = ${id})
    and not exists (select 1 from agent_rags where rag_id = ${id}) returning 1`;

/** The live generation of another RAG, if its vectors are of the wanted model; else null. */
export const vectorSourceSql = (
  copyOf: RagId | null,
  target: Pick<Generation, "embeddingModel" | "dimensions" | "passagePrefix">,
) =>
  sql`(select v.generation from rags o join rag_generations v on v.rag_id = o.id
    and v.generation = o.generation where o.id = ${copyOf}
    and v.embedding_model = ${target.embeddingModel} and v.dimensions = ${target.dimensions}
    and v.passage_prefix = ${target.passagePrefix} and v.model_changed_at = 0)`;

/** The place of a status in `FILE_STATUSES_BY_PROGRESS`. */
export const rankOf = (status: string): string => {
  const ranks = FILE_STATUSES_BY_PROGRESS.map((status, rank) => `when '${status}' then ${rank}`);
  return `case ${status} ${ranks.join(" ")} end`;
};
