import type { ChunkId } from "../../core/ids.ts";
import { toBatches } from "../../core/work/batches.ts";
import type { FileFacts, PlacedChunk } from "../../ports/index-versions.ts";
import { run, chunksOf, select, addToTotals, LEFT, type Row } from "../tables.ts";
import { markInFlightLive, hasRoom } from "../vectors/in-flight-vectors.ts";
import { recordFileFolder } from "../vectors/vector-folders.ts";
import { writeReadersOf } from "./audiences.ts";
import { updateDuplicates } from "./duplicates.ts";
import { addFile, ancestorsOf, findFile, isSuperseded, writeFacts, type FileRow } from "./files.ts";
import { placeValues } from "./places.ts";
import { withdrawChunks, withdrawStaged } from "./remove-chunks.ts";
import { isPathExcluded, moveExclusion, readScopes, scopeTest } from "./scopes.ts";
import { unindexWords } from "./word-index.ts";
import type { Verb, WriteContext } from "./write-context.ts";

const COLUMNS = [
  "chunk",
  "id",
  "live",
  "revision",
  "duplicate_key",
  "headings",
  "languages",
] as const;
type StoredChunk = Row<"chunks", (typeof COLUMNS)[number]>;

/** Changes that an activation makes in a file's stored chunks. */
type ChunkChanges = {
  entering: StoredChunk[];
  staying: StoredChunk[];
  leaving: StoredChunk[];
  missing: ChunkId[];
};

function sortChunks(
  sql: SqlStorage,
  file: number,
  revision: number,
  places: Map<ChunkId, PlacedChunk>,
): ChunkChanges {
  const rows = select(sql, "chunks", [...COLUMNS], `WHERE file = ? AND live <> ${LEFT}`, file);
  const rowIds = new Set(rows.map(({ id }) => id));
  const current = rows.filter(({ id }) => places.has(id));
  return {
    entering: current.filter(({ live }) => live !== 1),
    staying: current.filter(({ live }) => live === 1),
    // Chunks that a later job has staged are kept.
    leaving: rows.filter(
      (chunk) => !places.has(chunk.id) && (chunk.live === 1 || chunk.revision <= revision),
    ),
    missing: [...places.keys()].filter((id) => !rowIds.has(id)),
  };
}

/** Chunks whose places are sent to SQLite at once; a large file has thousands. */
const PLACES_AT_ONCE = 64;

function writePlaces(sql: SqlStorage, chunks: StoredChunk[], placeById: Map<ChunkId, PlacedChunk>) {
  for (const batch of toBatches(chunks, PLACES_AT_ONCE)) {
    const places = batch.flatMap(({ chunk, id }) => {
      const at = placeById.get(id);
      if (at === undefined) return [];
      return [[chunk, ...placeValues(at)]];
    });
    run(sql)`UPDATE chunks SET live = 1, position = place.value ->> 1,
        headings = place.value ->> 2, languages = place.value ->> 3, page = place.value ->> 4,
        start_at = place.value ->> 5, end_at = place.value ->> 6, recognised = place.value ->> 7,
        is_named = place.value ->> 8
      FROM json_each(${places}) place WHERE chunk = place.value ->> 0`;
  }
}

/** The chunks' new places; one with changed headings or languages is indexed again. */
function place(
  context: WriteContext,
  { entering, staying }: ChunkChanges,
  places: Map<ChunkId, PlacedChunk>,
): void {
  const { sql } = context;
  const indexed = [...entering, ...staying].filter(({ live }) => live !== 0);
  const moved = indexed.filter(({ id, headings, languages }) => {
    const at = places.get(id);
    return headings !== JSON.stringify(at?.headings) || languages !== at?.languages;
  });
  unindexWords(context, chunksOf(moved));
  writePlaces(sql, [...entering, ...staying], places);
  for (const { chunk } of [...entering.filter(({ live }) => live === 0), ...moved]) {
    context.unindexed.push({ chunk, written: null });
  }
}

/** Replaces a file's live version; called inside a transaction. */
export const activateVersion: Verb<"activateVersion"> = (context, facts, revision, chunks) => {
  const { sql, change } = context;
  const before = findFile(sql, facts.fileId);
  if (before !== null && isSuperseded(before, revision)) {
    return { outcome: "superseded", revision: before.revision };
  }
  const file = before ?? addFile(sql, facts.fileId);
  const places = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  const sorted = sortChunks(sql, file.file, revision, places);
  if (sorted.missing.length > 0) return { outcome: "incomplete", missing: sorted.missing };
  const { entering, leaving } = sorted;
  const replaced = leaving.filter(({ live }) => live === 1);
  if (!hasRoom(sql, chunksOf(entering), chunksOf(replaced))) return { outcome: "full" };
  const keys = [...entering, ...leaving].map(({ duplicate_key: key }) => key);
  const marks = updateDuplicates(sql, { keys, entering: chunksOf(entering) }, () => {
    withdrawChunks(context, leaving);
    markInFlightLive(sql, chunksOf(entering));
    addToTotals(sql, { chunks: entering.length, staged: -entering.length });
    place(context, sorted, places);
  });
  change.left.push(...chunksOf(leaving));
  change.entered.push(...chunksOf(entering));
  change.marks.push(...marks);
  makeLive(context, file, facts, { revision, chunkCount: places.size });
  return { outcome: "activated", chunkCount: places.size };
};

/** Writes what is known of a file whose chunks are live, and counts it. */
export function makeLive(
  context: WriteContext,
  before: FileRow,
  facts: FileFacts,
  live: { revision: number; chunkCount: number },
): void {
  const { sql, change } = context;
  const { path, externalId } = facts;
  const holds = scopeTest(readScopes(sql));
  if (before.state === "live") moveExclusion(sql, before.path, path);
  const isInside = holds({ path, externalId, ancestors: ancestorsOf(facts) });
  const isHidden = !isInside || isPathExcluded(sql, path);
  writeFacts(sql, before.file, facts, { ...live, hidden: isHidden });
  writeReadersOf(context, facts.fileId, facts.readers);
  change.files.push(before.file);
  recordFileFolder(sql, before.file, path);
  addToTotals(sql, {
    files: before.state === "live" ? 0 : 1,
    hiddenFiles: (isHidden ? 1 : 0) - before.hidden,
  });
}

/** Changes a live file's metadata but not its chunks; called inside a transaction. */
export const describeFile: Verb<"describeFile"> = (context, facts, revision) => {
  const file = findFile(context.sql, facts.fileId);
  if (file !== null && isSuperseded(file, revision))
    return { outcome: "superseded", revision: file.revision };
  if (file === null || file.state !== "live") return { outcome: "absent" };
  withdrawStaged(context, file.file, revision);
  makeLive(context, file, facts, { revision, chunkCount: file.chunk_count });
  return { outcome: "described" };
};
