import type { FileSourceId, RagId } from "../../core/ids.ts";
import { g, r, rankOf, FILE_COUNTS, type FileCounts } from "../records.ts";
import { FILE_STATUSES_BY_PROGRESS } from "../schema/rags.ts";
import { number, pick, select, text, type Row } from "../select.ts";
import { raw, readRows, sql, type Database, type Sql } from "../sql.ts";

const COUNTS = select({
  sourceId: r.fileSourceId,
  ragId: r.id,
  ...pick(r, "identifier", "name", "generation", "scopeMode"),
  coming: r.comingFiles,
  ...FILE_COUNTS,
  passages: g.numberVectors,
});

/** A RAG of a source, with the counters of its live index. */
export type RagOfSource = Row<typeof COUNTS>;

const COUNTERS = raw("rag_generations g on g.rag_id = r.id and g.generation = r.generation");

/** RAGs named in one list of sources; each costs two rows. */
const MAX_RAGS = 2_000;

/** The RAGs of these sources, in order of identifier: two rows each, whatever they hold. */
export const ragsOfSources = (db: Database, ids: FileSourceId[]) =>
  readRows(db)`select ${COUNTS} from json_each(${ids}) wanted
    cross join rags r on r.file_source_id = wanted.value and r.removed_at is null
    cross join ${COUNTERS} order by r.identifier limit ${MAX_RAGS}`;

/** The RAGs of all sources `s` that a condition holds for: three rows each. */
export const selectRagsOfSources = (where: Sql) =>
  sql`select ${COUNTS} from rags r join ${COUNTERS} join file_sources s on s.id = r.file_source_id
    where r.removed_at is null and ${where}`;

const REASON = select({ reason: text("reason"), files: number("count(distinct file_id)") });
const REASONS_SHOWN = 5;
/** Pending files whose reasons are read: a list that grows faster still costs no more. */
const MAX_WAITING = 1_000;

/**
 * Why files of these indexes wait to be tried again, the most frequent reason first. A reason is a
 * file's message without its number of tries, and without the seconds that a provider names.
 */
export const waitReasons = (db: Database, rags: { ragId: RagId; generation: number }[]) =>
  readRows(db)`select ${REASON} from (
      select x.file_id,
        substr(x.error_message, 1, instr(x.error_message || ', try ', ', try ') - 1) as reason
      from json_each(${rags}) m cross join rag_files x on x.rag_id = m.value ->> 'ragId'
        and x.generation = m.value ->> 'generation' and x.status = 'pending'
      limit ${MAX_WAITING})
    where reason is not null group by reason order by 2 desc, 1 limit ${REASONS_SHOWN}`;

/** Rows read to count the files of sources with several RAGs. */
const MAX_COUNTED = 10_000;

const ONCE = select({
  sourceId: r.fileSourceId,
  rank: number("rank"),
  files: number("count(*)"),
});

/**
 * The files of each of these sources by status, each once, however many of the RAGs index it: by
 * the least finished status. Where that would read too many rows, those of the RAG with the most.
 */
export async function filesOfSources(
  db: Database,
  ragsOfSource: readonly RagOfSource[],
): Promise<Map<FileSourceId, FileCounts>> {
  const bySource = Map.groupBy(ragsOfSource, ({ sourceId }) => sourceId);
  const counts = new Map(
    [...bySource].map(([sourceId, some]) => [sourceId, largestOf(some.map(countsOf))] as const),
  );
  const shared = sharedSources(bySource);
  if (shared.length === 0) return counts;
  const rows = await readRows(db)`select ${ONCE} from (
      select r.file_source_id, min(${raw(rankOf("x.status"))}) as rank
      from json_each(${shared}) wanted
      cross join rags r on r.file_source_id = wanted.value and r.removed_at is null
      cross join rag_files x on x.rag_id = r.id and x.generation = r.generation
        and x.status <> 'leaving'
      group by x.file_id) r
    group by r.file_source_id, rank`;
  for (const sourceId of shared) {
    const coming = Math.max(...(bySource.get(sourceId) ?? []).map((rag) => rag.coming));
    counts.set(sourceId, { ...NONE, pending: coming });
  }
  for (const { sourceId, rank, files } of rows) {
    const [status, count] = [FILE_STATUSES_BY_PROGRESS[rank], counts.get(sourceId)];
    if (status !== undefined && count !== undefined) count[status] += files;
  }
  return counts;
}

const NONE: FileCounts = { pending: 0, processing: 0, indexed: 0, error: 0, deleted: 0 };

const countsOf = ({ pending, processing, indexed, error, deleted }: RagOfSource): FileCounts => {
  return { pending, processing, indexed, error, deleted };
};

const sizeOf = (counts: FileCounts) => Object.values(counts).reduce((sum, files) => sum + files, 0);

const largestOf = (counts: readonly FileCounts[]): FileCounts =>
  counts.reduce((most, candidate) => (sizeOf(candidate) > sizeOf(most) ? candidate : most), NONE);

/** Sources with several RAGs whose rows are few enough to be read. */
function sharedSources(bySource: Map<FileSourceId, RagOfSource[]>): FileSourceId[] {
  let room = MAX_COUNTED;
  return [...bySource].flatMap(([sourceId, some]) => {
    if (some.length === 1) return [];
    const rows = some.reduce((sum, rag) => sum + sizeOf(countsOf(rag)), 0);
    if (rows > room) return [];
    room -= rows;
    return [sourceId];
  });
}

/** The files of all sources together. */
export function sumCounts(counts: Iterable<FileCounts>): FileCounts {
  const sum = { ...NONE };
  for (const countsOfRag of counts) {
    for (const status of FILE_STATUSES_BY_PROGRESS) sum[status] += countsOfRag[status];
  }
  return sum;
}
