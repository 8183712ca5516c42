import type { FileId } from "../../core/ids.ts";
import type { FileFacts } from "../../ports/index-versions.ts";
import { run, select, type Row } from "../tables.ts";

const COLUMNS = [
  ...(["file", "revision", "state", "hidden", "path"] as const),
  ...(["chunk_count", "audience"] as const),
] as const;

export type FileRow = Row<"files", (typeof COLUMNS)[number]>;

export function findFile(sql: SqlStorage, fileId: FileId): FileRow | null {
  return select(sql, "files", [...COLUMNS], "WHERE id = ?", fileId)[0] ?? null;
}

/** The revision of an unknown file; every other revision is later. */
export const NO_REVISION = -1;

/** Adds a file that the index does not know. */
export function addFile(sql: SqlStorage, fileId: FileId): FileRow {
  return sql
    .exec<FileRow>(
      `INSERT INTO files (id, revision, state) VALUES (?, ?, 'staging')
        RETURNING ${COLUMNS.join(", ")}`,
      fileId,
      NO_REVISION,
    )
    .one();
}

/** Whether work of this revision is void: a later change or the removal of the file is known. */
export function isSuperseded(file: FileRow | null, revision: number): boolean {
  if (file === null) return false;
  return revision < file.revision || (revision === file.revision && file.state === "removed");
}

/** The values that a metadata filter can match; scalars compare as text. */
function filterValuesOf(entry: unknown): string[] {
  const values: unknown[] = Array.isArray(entry) ? entry : [entry];
  return values.flatMap((value) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? [String(value)]
      : [],
  );
}

/** External ids of the folders above a file in its drive, as its source reader lists them. */
export const ancestorsOf = ({ metadata }: FileFacts) => filterValuesOf(metadata["ancestors"]);

function clearMetadata(sql: SqlStorage, file: number): void {
  run(sql)`DELETE FROM file_metadata WHERE file = ${file}`;
}

/** Stores what restriction and citation need; `hidden`: the file is outside the scopes, or left out of search. */
export function writeFacts(
  sql: SqlStorage,
  file: number,
  facts: FileFacts,
  live: { revision: number; hidden: boolean; chunkCount: number },
): void {
  run(sql)`UPDATE files SET state = 'live', revision = ${live.revision}, hidden = ${live.hidden},
      chunk_count = ${live.chunkCount}, path = ${facts.path}, name = ${facts.name},
      external_id = ${facts.externalId}, url = ${facts.url}, ancestors = ${ancestorsOf(facts)},
      modified_at = ${facts.modifiedAt}, audience = abs(audience) WHERE file = ${file}`;
  clearMetadata(sql, file);
  const entries = Object.entries(facts.metadata).flatMap(([field, entry]) =>
    filterValuesOf(entry).map((value) => [field, value]),
  );
  if (entries.length === 0) return;
  run(sql)`INSERT OR IGNORE INTO file_metadata (field, value, file)
    SELECT value ->> 0, value ->> 1, ${file} FROM json_each(${entries})`;
}

/** Keeps only a file's id, the revision that removed it and its readers. */
export function markRemoved(sql: SqlStorage, file: number, revision: number): void {
  run(sql)`UPDATE files SET state = 'removed', revision = ${revision}, hidden = 0,
      chunk_count = 0, path = '', name = '', external_id = NULL, url = NULL, ancestors = '[]',
      modified_at = 0 WHERE file = ${file}`;
  clearMetadata(sql, file);
}
