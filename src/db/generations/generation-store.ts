import type { RagId } from "../../core/ids.ts";
import type { IndexAddress } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { flag, id, nullable, number, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { query, readRows, runBatch, statement } from "../raw-sql.ts";
import { rowKey } from "../files/file-rows.ts";

/** The deployment's settings for every index; the chunking is the RAG's own. */
export type WantedIndex = {
  embeddingModel: string;
  dimensions: number;
  format: number;
  /**
   * A vector index with vectors of one size only: generations with another size stay unchanged.
   */
  fixedDimensions: boolean;
  /** Chunks of one shard above which a RAG grows into more of them. */
  shardChunks: number;
  /** Chunks up to which a generation's vectors are searched in its objects; -1: none are. */
  objectChunks: number;
};

/** More chunks than any RAG has. */
export const EVERYTHING = Number.MAX_SAFE_INTEGER;

/** A retrieval queries all shards at once; beyond this number, shards grow instead. */
const SHARDS_MAX = 32;

/** Parameters ?2 to ?4, for a generation `g` of a RAG `r`. */
const SAME = `g.embedding_model = ?2 and g.dimensions = ?3 and g.format = ?4
  and g.chunk_size = r.chunk_size and g.chunk_overlap = r.chunk_overlap`;

/**
 * The estimated size of a live generation `l` after pending files are indexed; at most twice its
 * current size.
 */
const PROJECTED = `min(2 * l.number_vectors, l.number_vectors *
  (l.pending_files + l.processing_files + l.indexed_files) / max(1, l.indexed_files))`;

/** Shards of a new generation: they start half full, so that growth is rare. */
const SHARDS = `case when ${PROJECTED} <= ?6 then 1
  else min(${SHARDS_MAX}, 1 + (2 * ${PROJECTED}) / cast(?6 as integer)) end`;

/** The live generation `g` has the wanted settings and is large enough for its chunks. */
const SUFFICES = `g.state = 'live' and ${SAME}
  and (g.number_vectors <= g.shards * ?6 or g.shards >= ${SHARDS_MAX})
  and (g.vectors_in = 'vectorize' or g.number_vectors <= ?8)`;

/**
 * A generation goes back to its objects only when an administrator has it indexed from scratch, so
 * that a RAG whose size varies does not move again and again.
 */
const VECTORS_IN = `case when ${PROJECTED} > ?8 then 'vectorize'
  when l.vectors_in = 'vectorize' and ?10 is null and ?8 < ${EVERYTHING} then 'vectorize'
  else 'object' end`;

/** Vectors of the live generation `l` are reused, unless it is to be indexed from scratch. */
const VECTORS_FROM = `case when ?10 is null and l.embedding_model = ?2 and l.dimensions = ?3
  then l.generation end`;

/** An administrator returned to an index without the settings wanted now. */
const REFUSED = `coalesce(r.refused_index, '') = ?7`;

/** Parameter ?5: 1 where vectors of another size cannot be built beside the live ones. */
const POSSIBLE = `(?5 = 0 or exists (select 1 from rag_generations l where l.rag_id = r.id
  and l.generation = r.generation and l.dimensions = ?3))`;

const wantedParameters = (wanted: WantedIndex) => {
  const { embeddingModel, dimensions, format, fixedDimensions } = wanted;
  const { shardChunks, objectChunks } = wanted;
  const settings = [embeddingModel, dimensions, format, fixedDimensions, shardChunks] as const;
  return [...settings, refusalOf(wanted), objectChunks] as const;
};

/** What a RAG records after a return to an index without these settings. */
export const refusalOf = ({ embeddingModel, dimensions, format }: WantedIndex) =>
  `${embeddingModel} ${dimensions} ${format}`;

/**
 * Begins a generation with the wanted settings, unless the live or building one has them and, with
 * `since` (ms), was begun then or later. An outdated building one is retired. A live one with too
 * many chunks for its shards is followed by one with more shards, one with too many to be searched
 * in its objects by one that is searched in the vector index.
 */
export async function beginGeneration(
  db: Database,
  ragId: RagId,
  wanted: WantedIndex,
  of: { since: number | null; now: number },
): Promise<void> {
  const parameters = [ragId, ...wantedParameters(wanted), of.now] as const;
  await runBatch(db, [
    statement(
      `update rags set refused_index = null where id = ?1 and ?2 is not null`,
      ragId,
      of.since,
    ),
    statement(
      `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
         chunk_size, chunk_overlap, format, shards, vectors_in, vectors_from, created_at,
         filled_up_to)
       select r.id, (select max(m.generation) + 1 from rag_generations m where m.rag_id = r.id),
         'building', ?2, ?3, r.chunk_size, r.chunk_overlap, ?4, ${SHARDS}, ${VECTORS_IN},
         ${VECTORS_FROM}, ?9, ''
       from rags r join rag_generations l on l.rag_id = r.id and l.generation = r.generation
       where r.id = ?1 and r.removed_at is null and ${POSSIBLE} and not ${REFUSED}
         and not exists (select 1 from rag_generations g where g.rag_id = r.id
           and (${SUFFICES} or (g.state = 'building' and ${SAME}))
           and (?10 is null or g.created_at >= ?10))`,
      ...parameters,
      of.since,
    ),
    statement(
      `update rag_generations as g set state = 'retired', changed_at = ?9
       from rags r where r.id = ?1 and g.rag_id = r.id and g.state = 'building' and not ${REFUSED}
         and (not (${SAME}) or not ${POSSIBLE} or exists (select 1 from rag_generations x
           where x.rag_id = r.id and x.state = 'building' and x.generation > g.generation))`,
      ...parameters,
    ),
  ]);
}

/** RAGs whose live or building index is outdated, and those that cannot have the wanted one. */
export async function ragsToRebuild(
  db: Database,
  wanted: WantedIndex,
): Promise<{ ragIds: RagId[]; impossible: RagId[] }> {
  const [, rows] = await runBatch(db, [
    // When the wanted settings change, refused ones may be wanted again.
    statement(`update rags set refused_index = null where refused_index <> ?1`, refusalOf(wanted)),
    query(
      row({ id: id<RagId>(), possible: flag }),
      `select r.id, ${POSSIBLE} as possible from rags r
       where r.removed_at is null and (?1 is null or r.id = ?1) and not ${REFUSED}
         and (exists (select 1 from rag_generations g where g.rag_id = r.id
             and g.state = 'building' and not (${SAME}))
           or not exists (select 1 from rag_generations g where g.rag_id = r.id
             and (${SUFFICES} or (g.state = 'building' and ${SAME}))))`,
      null,
      ...wantedParameters(wanted),
    ),
  ]);
  const idsOf = (possible: boolean) =>
    rows.filter((rag) => rag.possible === possible).map(({ id }) => id);
  return { ragIds: idsOf(true), impossible: idsOf(false) };
}

/** `filledUpTo`: it has rows of the RAG's files up to this id (by order of id); null: of all. */
const BUILDING = row({ ragId: id<RagId>(), generation: number, filledUpTo: nullable(text) });
export type Building = Row<typeof BUILDING>;

/** Generations being built for RAGs that are not paused; an id limits it to one RAG. */
export async function buildingGenerations(
  db: Database,
  ragId: RagId | null = null,
): Promise<Building[]> {
  return await readRows(
    db,
    BUILDING,
    `select g.rag_id as ragId, g.generation, g.filled_up_to as filledUpTo
     from rag_generations g join rags r on r.id = g.rag_id
     where g.state = 'building' and r.status = 'active' and r.removed_at is null
       and (?1 is null or g.rag_id = ?1)`,
    ragId,
  );
}

/** RAGs of those generations being built that have no file in progress any more. */
export async function idleBuilds(
  db: Database,
  generations: { ragId: RagId; generation: number }[],
): Promise<RagId[]> {
  if (generations.length === 0) return [];
  const rows = await readRows(
    db,
    row({ ragId: id<RagId>() }),
    `select distinct g.rag_id as ragId from json_each(?1) m cross join rag_generations g
       on g.rag_id = m.value ->> 'ragId' and g.generation = m.value ->> 'generation'
     where g.state = 'building' and g.pending_files = 0 and g.processing_files = 0`,
    generations.map(({ ragId, generation }) => ({ ragId, generation })),
  );
  return rows.map(({ ragId }) => ragId);
}

/**
 * The generation's objects are empty. Deletes its rows, a part per call; after the last, drops it.
 */
export async function dropGeneration(
  db: Database,
  { ragId, generation }: Pick<IndexAddress, "ragId" | "generation">,
  limit: number,
): Promise<void> {
  await runBatch(db, [
    statement(
      `delete from rag_files where (${rowKey()}) in (select ${rowKey("x")} from rag_generations g
         join rag_files x on x.rag_id = g.rag_id and x.generation = g.generation
         where g.rag_id = ?1 and g.generation = ?2 and g.state = 'dropping' limit ?3)`,
      ragId,
      generation,
      limit,
    ),
    statement(
      `update rag_generations set state = 'dropped' where rag_id = ?1 and generation = ?2
         and state = 'dropping' and not exists (select 1 from rag_files x
           where x.rag_id = ?1 and x.generation = ?2)`,
      ragId,
      generation,
    ),
  ]);
}
