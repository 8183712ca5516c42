import type { RagId } from "../../core/ids.ts";
import { BUILT_IN_MODELS } from "../../ports/models.ts";
import type { IndexAddress } from "../../ports/rag-index.ts";
import { OPEN, rowKey } from "../files/file-rows.ts";
import { fittingChunks, g, r, removalSql, vectorSourceSql, type RagRecord } from "../records.ts";
import { flag, number, oneOf, pick, select, type Row } from "../select.ts";
import { execute, raw, readRows, readValues, runBatch, sql, type Database } from "../sql.ts";

/** The deployment's settings for every index; the chunking is the RAG's own. */
export type WantedIndex = {
  embeddingModel: string;
  dimensions: number;
  passagePrefix: string;
  /** Tokens; a RAG with longer chunks gets chunks of this size. */
  longestPassage: number;
  format: number;
  /** A vector index holds vectors of one size: generations with another stay as they are. */
  fixedDimensions: boolean;
  /** Chunks of one shard above which a RAG grows into more of them. */
  shardChunks: number;
  /** Chunks up to which a generation's vectors are searched in its objects; -1: none are. */
  objectChunks: number;
};

/** More chunks than any RAG has. */
export const EVERYTHING = Number.MAX_SAFE_INTEGER;

/** A retrieval queries all shards at once; beyond this number, shards grow instead. */
const MAX_SHARDS = 32;

/** The settings that a RAG refuses after a return to an index without them. */
export const refusalOf = ({ embeddingModel, dimensions, format, ...settings }: WantedIndex) =>
  [embeddingModel, dimensions, format, settings.passagePrefix].join(" ").trimEnd();

/** Conditions on a generation `g` of a RAG `r`, and on its live generation `l`. */
function conditionsOf(target: WantedIndex) {
  const { embeddingModel, dimensions, format, fixedDimensions, shardChunks, objectChunks } = target;
  const { size, overlap } = fittingChunks(target.longestPassage);
  const same = sql`g.embedding_model = ${embeddingModel} and g.dimensions = ${dimensions}
    and g.passage_prefix = ${target.passagePrefix} and g.format = ${format}
    and g.chunk_size = ${size} and g.chunk_overlap = ${overlap}`;
  return {
    /** It has the wanted settings. */
    same,
    /** The live generation has the wanted settings and is large enough for its chunks. */
    suffices: sql`g.state = 'live' and ${same}
      and (g.number_vectors <= g.shards * ${shardChunks} or g.shards >= ${MAX_SHARDS})
      and (g.vectors_in = 'vectorize' or g.number_vectors <= ${objectChunks})`,
    /** An administrator returned to an index without the settings wanted now. */
    refused: sql`coalesce(r.refused_index, '') = ${refusalOf(target)}`,
    /** Vectors of another size can be built beside the live ones. */
    possible: sql`(not ${fixedDimensions} or exists (select 1 from rag_generations l
      where l.rag_id = r.id and l.generation = r.generation and l.dimensions = ${dimensions}))`,
  };
}

/** Estimated chunks of a live generation `l` after pending files; at most twice as many as now. */
const PROJECTED = raw(`min(2 * l.number_vectors, l.number_vectors *
  (l.pending_files + l.processing_files + l.indexed_files) / max(1, l.indexed_files))`);

/** Columns of a new generation that depend on the live generation `l`. */
function successorOf(target: WantedIndex, isFromScratch: boolean) {
  const { shardChunks, objectChunks } = target;
  const keepsPlace = !isFromScratch && objectChunks < EVERYTHING;
  return {
    /** They start half full, so that growth is rare. */
    shards: sql`case when ${PROJECTED} <= ${shardChunks} then 1
      else min(${MAX_SHARDS}, 1 + (2 * ${PROJECTED}) / cast(${shardChunks} as integer)) end`,
    /** Goes back only at an index from scratch: a RAG of changing size does not move often. */
    vectorsIn: sql`case when ${PROJECTED} > ${objectChunks} then 'vectorize'
      when l.vectors_in = 'vectorize' and ${keepsPlace} then 'vectorize' else 'object' end`,
    /** Unless it is to be indexed from scratch. A built-in model's vectors hold words as a format reads them. */
    vectorsFrom: sql`case when not ${isFromScratch} and l.embedding_model =
      ${target.embeddingModel} and l.dimensions = ${target.dimensions}
      and l.passage_prefix = ${target.passagePrefix} and l.model_changed_at = 0
      and (l.format = ${target.format} or l.embedding_model <> ${BUILT_IN_MODELS.embedding})
      then l.generation end`,
  };
}

/**
 * Begins a generation with the wanted settings, unless the live or building one has them and, with
 * `since` (ms), was begun then or later. An outdated building one is retired. A live one with too
 * many chunks for its shards is followed by one with more shards, one with too many to be searched
 * in its objects by one that is searched in the vector index. `copy`: a RAG that nothing links, whose
 * settings and vectors it takes over and which is removed. False: it is linked, or was removed.
 */
export async function beginGeneration(
  db: Database,
  ragId: RagId,
  target: WantedIndex,
  { since, now, copy = null }: { since: number | null; now: number; copy?: RagId | null },
): Promise<boolean> {
  const { same, suffices, refused: unfit, possible } = conditionsOf(target);
  const { shards, vectorsIn, vectorsFrom } = successorOf(target, since !== null);
  const { size, overlap } = fittingChunks(target.longestPassage);
  const isTaken = sql`(${copy} is null or exists (select 1 from rags t
    where t.id = ${copy} and t.removed_at = ${now}))`;
  const [removed] = await runBatch(db, [
    removalSql(copy, now),
    sql`update rags set chunk_size = t.chunk_size, chunk_overlap = t.chunk_overlap,
        search_mode = t.search_mode, reranker = t.reranker,
        recency_half_life_days = t.recency_half_life_days,
        leave_out_unrelated = t.leave_out_unrelated, updated_at = max(rags.updated_at + 1, ${now})
      from rags t where rags.id = ${ragId} and t.id = ${copy} and t.removed_at = ${now}`,
    sql`update rags set refused_index = null where id = ${ragId} and ${since} is not null`,
    sql`insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
        passage_prefix, chunk_size, chunk_overlap, format, shards, vectors_in, vectors_from, copy_of,
        created_at, filled_up_to)
      select r.id, (select max(m.generation) + 1 from rag_generations m where m.rag_id = r.id),
        'building', ${target.embeddingModel}, ${target.dimensions}, ${target.passagePrefix},
        ${size}, ${overlap}, ${target.format}, ${shards}, ${vectorsIn},
        case when ${copy} is null then ${vectorsFrom} else ${vectorSourceSql(copy, target)} end,
        ${copy}, ${now}, ''
      from rags r join rag_generations l on l.rag_id = r.id and l.generation = r.generation
      where r.id = ${ragId} and r.removed_at is null and ${possible} and not ${unfit}
        and ${isTaken} and not exists (select 1 from rag_generations g where g.rag_id = r.id
          and (${suffices} or (g.state = 'building' and ${same}))
          and (${since} is null or g.created_at >= ${since}))`,
    sql`update rag_generations as g set state = 'retired', changed_at = ${now} from rags r
      where r.id = ${ragId} and g.rag_id = r.id and g.state = 'building' and not ${unfit}
        and (not (${same}) or not ${possible} or exists (select 1 from rag_generations x
          where x.rag_id = r.id and x.state = 'building' and x.generation > g.generation))`,
  ]);
  return copy === null || removed.length > 0;
}

/** RAGs whose live or building index is outdated, and those that cannot have the wanted one. */
export async function ragsToRebuild(
  db: Database,
  target: WantedIndex,
): Promise<{ ragIds: RagId[]; impossible: RagId[] }> {
  const { same, suffices, refused: unfit, possible } = conditionsOf(target);
  const outdated = select({ id: r.id, possible: flag(possible) });
  const [, rows] = await runBatch(db, [
    // When the wanted settings change, refused ones may be wanted again.
    sql`update rags set refused_index = null where refused_index <> ${refusalOf(target)}`,
    sql`select ${outdated} from rags r where r.removed_at is null and not ${unfit}
      and (exists (select 1 from rag_generations g where g.rag_id = r.id
          and g.state = 'building' and not (${same}))
        or not exists (select 1 from rag_generations g where g.rag_id = r.id
          and (${suffices} or (g.state = 'building' and ${same}))))`,
  ]);
  const idsOf = (isPossible: boolean) =>
    rows.filter((rag) => rag.possible === isPossible).map(({ id }) => id);
  return { ragIds: idsOf(true), impossible: idsOf(false) };
}

/** `filledUpTo`: it has rows of the RAG's files up to this id (by order of id); null: of all. */
const BUILDING = select(pick(g, "ragId", "generation", "filledUpTo"));
export type GenerationBuild = Row<typeof BUILDING>;

/** Generations being built for RAGs that are not paused; an id limits it to one RAG. */
export const buildingGenerations = (db: Database, ragId: RagId | null = null) =>
  readRows(db)`select ${BUILDING} from rag_generations g join rags r on r.id = g.rag_id
    where g.state = 'building' and r.status = 'active' and r.removed_at is null
      and (${ragId} is null or g.rag_id = ${ragId})`;

/** RAGs of those generations being built that have no file in progress any more. */
export async function idleBuilds(
  db: Database,
  generations: { ragId: RagId; generation: number }[],
): Promise<RagId[]> {
  if (generations.length === 0) return [];
  return await readValues(db, g.ragId)`select distinct g.rag_id
    from json_each(${generations}) m cross join rag_generations g
      on g.rag_id = m.value ->> 'ragId' and g.generation = m.value ->> 'generation'
    where g.state = 'building' and g.pending_files = 0 and g.processing_files = 0`;
}

/** Deletes rows of emptied objects, a part per call; after the last, drops the generation. */
export async function dropGeneration(
  db: Database,
  { ragId, generation }: Pick<IndexAddress, "ragId" | "generation">,
  limit: number,
): Promise<void> {
  await runBatch(db, [
    sql`delete from rag_files where (${rowKey()}) in (select ${rowKey("x")} from rag_generations g
      join rag_files x on x.rag_id = g.rag_id and x.generation = g.generation
      where g.rag_id = ${ragId} and g.generation = ${generation} and g.state = 'dropping'
      limit ${limit})`,
    sql`update rag_generations set state = 'dropped' where rag_id = ${ragId}
      and generation = ${generation} and state = 'dropping' and not exists (
        select 1 from rag_files x where x.rag_id = ${ragId} and x.generation = ${generation})`,
  ]);
}

const LISTED = select({
  state: oneOf(["live", "building", "retired"], "g.state"),
  ...pick(g, "generation", "embeddingModel", "dimensions", "chunkSize", "chunkOverlap"),
  ...pick(g, "shards", "vectorsIn", "createdAt", "changedAt"),
  filesDone: number("g.indexed_files + g.error_files"),
  filesFailed: g.errorFiles,
});

/** As an administrator sees it. Times are ms; `filesDone` includes failed ones. */
export type ListedGeneration = Row<typeof LISTED>;

/** The live, building and retained generations of a RAG, oldest first. */
export const listGenerations = (db: Database, ragId: RagId) =>
  readRows(db)`select ${LISTED} from rag_generations g
    where g.rag_id = ${ragId} and g.state in ('live', 'building', 'retired')
    order by g.generation`;

const PROBED = select({
  ...pick(g, "ragId", "generation", "embeddingModel", "dimensions", "probe", "modelChangedAt"),
  leaveOutUnrelated: r.leaveOutUnrelated,
});
/** A generation of an index, and its model's vector of a fixed text when it was built. */
export type DueProbe = Row<typeof PROBED>;

/**
 * Generations that were not compared with their model since `before` (ms), differ from it, or lack
 * what unrelated passages are told by; in no order, so that those of a model that does not answer
 * hide no others.
 */
export const dueProbes = (db: Database, before: number, limit: number) =>
  readRows(db)`select ${PROBED} from rag_generations g join rags r on r.id = g.rag_id
    where ${OPEN} and (g.probed_at < ${before} or g.model_changed_at > 0
      or (r.leave_out_unrelated and g.unrelated_similarity is null
        and g.pending_files + g.processing_files = 0 and g.number_vectors > 0))
      and g.embedding_model <> ${BUILT_IN_MODELS.embedding} order by random() limit ${limit}`;

type Comparison = Pick<DueProbe, "ragId" | "generation" | "probe" | "modelChangedAt"> &
  Pick<RagRecord, "unrelatedSimilarity">;

export const recordProbe = (db: Database, { ragId, generation, ...row }: Comparison, now: number) =>
  execute(db)`update rag_generations set probed_at = ${now}, probe = ${row.probe},
    model_changed_at = ${row.modelChangedAt}, unrelated_similarity = ${row.unrelatedSimilarity}
    where rag_id = ${ragId} and generation = ${generation}`;

/** After a start, every model is compared. */
export const expireProbes = (db: Database) =>
  execute(db)`update rag_generations set probed_at = 0 where state in ('live', 'building')`;
