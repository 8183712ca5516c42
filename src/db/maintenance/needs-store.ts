import type { Database } from "../client.ts";
import { json, jsonObject, nullable, number, row, text, type Row } from "../columns.ts";
import { query, runBatch } from "../raw-sql.ts";
import { leftOutList } from "../scans/left-out.ts";

const COUNTS = row({
  pending: number,
  processing: number,
  indexed: number,
  error: number,
  rags: number,
  sources: number,
});

const FAILING_FILE = row({
  sourceIdentifier: text,
  filePath: text,
  errorMessage: nullable(text),
});

const FAILING_SOURCE = row({
  identifier: text,
  name: text,
  provider: text,
  config: jsonObject,
  status: text,
  error: nullable(text),
  heldRemovals: number,
  leftOut: json(leftOutList),
});

const SCAN = row({ identifier: text });

/** What needs somebody, and what is under way. */
export type Needs = {
  /** Files by status, added up over the RAGs: a file of two of them counts twice. */
  counts: Row<typeof COUNTS>;
  /** Each file once where the list is whole; else added up over the RAGs. */
  failing: { files: number; isAddedUp: boolean };
  failingFiles: Row<typeof FAILING_FILE>[];
  /** Sources that are not read, whose removals wait, or of which limits leave something out. */
  failingSources: Row<typeof FAILING_SOURCE>[];
  scans: Row<typeof SCAN>[];
};

/**
 * In one round trip, at the cost of two rows for each RAG and source; `limit` bounds each list.
 * Failing files are read from the index of statuses, in RAGs whose counters say that there are any.
 */
export async function readNeeds(
  db: Database,
  { now, limit }: { now: number; limit: number },
): Promise<Needs> {
  const [[counts = NO_COUNTS], failingFiles, failingSources, scans] = await runBatch(db, [
    query(COUNTS, SUM_COUNTS),
    query(FAILING_FILE, SELECT_FILES, limit),
    query(FAILING_SOURCE, SELECT_SOURCES, limit),
    query(
      SCAN,
      `select identifier from file_sources
       where removed_at is null and scan_claimed_until > ?1 limit ?2`,
      now,
      limit,
    ),
  ]);
  return {
    counts,
    failing: failingOf(counts, failingFiles, limit),
    failingFiles,
    failingSources,
    scans,
  };
}

function failingOf(
  counts: Row<typeof COUNTS>,
  listed: Row<typeof FAILING_FILE>[],
  limit: number,
): Needs["failing"] {
  if (listed.length === limit) return { files: counts.error, isAddedUp: true };
  const files = new Set(listed.map((one) => `${one.sourceIdentifier} ${one.filePath}`)).size;
  return { files, isAddedUp: false };
}

const NO_COUNTS = { pending: 0, processing: 0, indexed: 0, error: 0, rags: 0, sources: 0 };

const SUM_COUNTS = `
  select coalesce(sum(g.pending_files + r.coming_files), 0) as pending,
    coalesce(sum(g.processing_files), 0) as processing,
    coalesce(sum(g.indexed_files), 0) as indexed, coalesce(sum(g.error_files), 0) as error,
    count(*) as rags, count(distinct r.file_source_id) as sources
  from rags r join rag_generations g on g.rag_id = r.id and g.generation = r.generation
  where r.removed_at is null`;

const SELECT_FILES = `
  select distinct s.identifier as sourceIdentifier, rf.path as filePath,
    rf.error_message as errorMessage
  from rags r
  cross join rag_generations g on g.rag_id = r.id and g.generation = r.generation
    and g.error_files > 0
  cross join rag_files rf on rf.rag_id = r.id and rf.generation = r.generation
    and rf.status = 'error'
  cross join file_sources s on s.id = r.file_source_id
  where r.removed_at is null limit ?1`;

const SELECT_SOURCES = `
  select s.identifier, s.name, s.provider, s.config, s.status, s.left_out as leftOut, run.error,
    coalesce(run.held_removals, 0) as heldRemovals
  from file_sources s
  left join scan_runs run on run.id = (
    select newest.id from scan_runs newest where newest.file_source_id = s.id
    order by newest.started_at desc, newest.id desc limit 1)
  where s.removed_at is null and (s.status = 'error' or run.held_removals > 0 or s.left_out <> '[]')
  order by s.identifier limit ?1`;
