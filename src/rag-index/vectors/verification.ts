import { folderOf } from "../../core/folders.ts";
import { chunkOfVector, vectorIdOf, type VectorId } from "../../core/ids.ts";
import {
  rowsOf,
  readSetting,
  writeSetting,
  chunksOf,
  select,
  valueOf,
  valuesOf,
  type Row,
} from "../tables.ts";
import type { Verb } from "../write/write-context.ts";
import { addMissing } from "./in-flight-vectors.ts";
import { addTombstones } from "./tombstones.ts";
import { findMovedFiles } from "./vector-folders.ts";

const VERIFIED_UP_TO = "verifiedUpTo";

type PageRow = Row<"chunks", "chunk" | "id" | "file"> & Row<"files", "path">;

export const nextPageToVerify: Verb<"nextPageToVerify"> = ({ sql }, limit) => {
  const after = Number(readSetting(sql, VERIFIED_UP_TO) ?? 0);
  const rows = rowsOf<PageRow>(sql)`SELECT c.chunk, c.id, c.file, f.path
    FROM chunks c JOIN files f ON f.file = c.file
    WHERE c.live = 1 AND c.chunk > ${after} ORDER BY c.chunk LIMIT ${limit}`;
  const last = rows.at(-1)?.chunk ?? after;
  // A different one in each pass, so that over time orphans are searched for in the whole space.
  const sampled = rows[Math.floor(Math.random() * rows.length)];
  const sample = sampled === undefined ? null : vectorOf(sql, sampled.chunk);
  const vectors = selectExpected(sql, rows).map((row) => {
    return { vectorId: vectorIdOf(row.id, row.chunk), folder: folderOf(row.path) };
  });
  return { vectors, sample, upTo: last, isLast: rows.length < limit };
};

export const recordVerifiedPage: Verb<"recordVerifiedPage"> = (
  context,
  { upTo, isLast },
  { missing, orphans },
) => {
  const { sql } = context;
  const lacking = liveRows(sql, missing).map(({ chunk }) => chunk);
  const added = addMissing(sql, lacking);
  // Without room for all of them, the page is verified again when some are visible.
  if (added === lacking.length) writeSetting(sql, VERIFIED_UP_TO, String(isLast ? 0 : upTo));
  return { missing: added, orphans: addTombstones(sql, orphansAmong(context, orphans)) };
};

/** Ids that belong to no chunk stored here and have no tombstone. */
export const orphansAmong: Verb<"orphansAmong"> = ({ sql }, ids) => {
  const liveIds = new Set(readChunks(sql, ids).map((row) => vectorIdOf(row.id, row.chunk)));
  const condition = "WHERE id IN (SELECT value FROM json_each(?))";
  const tombstones = select(sql, "vector_tombstones", ["id"], condition, JSON.stringify(ids));
  for (const { id } of tombstones) liveIds.add(id);
  return ids.filter((id) => !liveIds.has(id));
};

/** Vectors not known to be visible, or not in their folder, are not looked up. */
function selectExpected(sql: SqlStorage, rows: PageRow[]): PageRow[] {
  const inFlight = new Set(valuesOf<number>(sql)`SELECT chunk FROM in_flight_vectors
    WHERE chunk IN (SELECT value FROM json_each(${chunksOf(rows)}))`);
  const files = rows.map(({ file }) => file);
  const moved = findMovedFiles(sql, files);
  return rows.filter(({ chunk, file }) => !inFlight.has(chunk) && !moved.has(file));
}

const readChunks = (sql: SqlStorage, ids: VectorId[]) =>
  rowsOf<Row<"chunks", "chunk" | "id" | "live">>(sql)`SELECT c.chunk, c.id, c.live
    FROM json_each(${ids.map(chunkOfVector)}) wanted CROSS JOIN chunks c ON c.id = wanted.value`;

function liveRows(sql: SqlStorage, ids: VectorId[]) {
  const requested = new Set(ids);
  return readChunks(sql, ids).filter(
    (row) => row.live === 1 && requested.has(vectorIdOf(row.id, row.chunk)),
  );
}

function vectorOf(sql: SqlStorage, chunk: number): Uint8Array | null {
  const bytes = valueOf<ArrayBuffer>(sql)`SELECT vector FROM contents WHERE chunk = ${chunk}`;
  return bytes === null ? null : new Uint8Array(bytes);
}
