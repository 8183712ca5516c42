import { vectorIdOf, type ChunkId } from "../../core/ids.ts";
import type { StagedChunk } from "../../ports/index-versions.ts";
import {
  rowsOf,
  run,
  insertContents,
  chunksOf,
  valuesOf,
  addToTotals,
  LEFT,
  PREPARED,
} from "../tables.ts";
import type { Row } from "../tables.ts";
import { addInFlight } from "../vectors/in-flight-vectors.ts";
import { storeCodesIfLarge } from "../vectors/stored-codes.ts";
import { noteFolders } from "../vectors/vector-folders.ts";
import { addFile, findFile, isSuperseded } from "./files.ts";
import { placeValues } from "./places.ts";
import { deleteLeft } from "./remove-chunks.ts";
import type { Verb } from "./write-context.ts";

/** The ids of these files' chunks whose text and vector are not stored. */
export const missing: Verb<"missing"> = ({ sql }, files) =>
  files.flatMap(({ fileId, ids }) => {
    const file = findFile(sql, fileId);
    if (file === null) return ids;
    return valuesOf<ChunkId>(sql)`SELECT value FROM json_each(${ids})
      WHERE NOT EXISTS (SELECT 1 FROM chunks
        WHERE id = value AND file = ${file.file} AND live <> ${LEFT})`;
  });

export const vectors: Verb<"vectors"> = ({ sql }, fileId, ids) => {
  const file = findFile(sql, fileId);
  if (file === null) return [];
  const rows = rowsOf<Row<"chunks", "id"> & Row<"contents", "vector">>(sql)`
    SELECT c.id, v.vector FROM json_each(${ids}) wanted
    CROSS JOIN chunks c ON c.id = wanted.value AND c.file = ${file.file}
    JOIN contents v ON v.chunk = c.chunk`;
  return rows.map(({ id, vector }) => ({ id, vector: new Uint8Array(vector) }));
};

/**
 * Stores content that no search sees yet; words of what has its place are indexed already. Void
 * when a later revision of the file is known. For a chunk already stored, only the revision is
 * raised, so that an older job does not delete it. Returns what was added.
 */
export const stage: Verb<"stage"> = (context, fileId, revision, chunks, batch) => {
  const { sql, unindexed } = context;
  const existing = findFile(sql, fileId);
  if (isSuperseded(existing, revision)) return [];
  const { file } = existing ?? addFile(sql, fileId);
  deleteLeft(
    context,
    chunks.map(({ id }) => id),
  );
  const added = addChunks(sql, { file, revision }, chunks);
  for (const { chunk, text, place } of added) {
    if (place === undefined) continue;
    const { headings, languages } = place;
    unindexed.push({ chunk, written: { headings, languages, text: text.toWellFormed() } });
  }
  if (batch !== undefined && added.length > 0) {
    noteFolders(sql, [{ file, folder: batch.folder }]);
    addInFlight(sql, chunksOf(added), batch);
  }
  storeCodesIfLarge(sql, added);
  addToTotals(sql, { staged: added.length });
  return added.map((row) => ({ id: row.id, vectorId: vectorIdOf(row.id, row.chunk) }));
};

type AddedChunk = StagedChunk & { chunk: number };

/** Adds those that are not stored yet; raises the revision of the others. */
function addChunks(
  sql: SqlStorage,
  { file, revision }: { file: number; revision: number },
  chunks: StagedChunk[],
): AddedChunk[] {
  const values = chunks.map(({ id, duplicateKey, number = null, place }) => [
    id,
    duplicateKey,
    number,
    place === undefined ? 0 : PREPARED,
    ...(place === undefined ? [] : placeValues(place)),
  ]);
  const rows = rowsOf<Row<"chunks", "chunk" | "id">>(sql)`
    INSERT INTO chunks (id, file, revision, duplicate_key, chunk, live, position, headings,
      languages, page, start_at, end_at, recognised, is_named)
    SELECT value ->> 0, ${file}, ${revision}, value ->> 1, value ->> 2, value ->> 3,
      coalesce(value ->> 4, 0), coalesce(value ->> 5, '[]'), coalesce(value ->> 6, ''),
      value ->> 7, coalesce(value ->> 8, 0), coalesce(value ->> 9, 0),
      coalesce(value ->> 10, 0), coalesce(value ->> 11, 0)
    FROM json_each(${values}) WHERE 1
    ON CONFLICT (id) DO NOTHING RETURNING chunk, id`;
  const placeOf = new Map(rows.map(({ id, chunk }) => [id, chunk]));
  if (placeOf.size < chunks.length) {
    const newIds = chunks.map(({ id }) => id).filter((id) => !placeOf.has(id));
    run(sql)`UPDATE chunks SET revision = max(revision, ${revision})
      WHERE id IN (SELECT value FROM json_each(${newIds}))`;
  }
  const added = chunks.flatMap((staged) => {
    const chunk = placeOf.get(staged.id);
    // The first of equal ids was added.
    return placeOf.delete(staged.id) && chunk !== undefined ? [{ ...staged, chunk }] : [];
  });
  insertContents(sql, added);
  return added;
}
