import type { FileId } from "../../core/ids.ts";
import type { FileFacts, IndexAudience } from "../../ports/index-versions.ts";
import { run, select, valueOf, valuesOf, type Row } from "../tables.ts";
import type { Verb, WriteContext } from "./write-context.ts";

const COLUMNS = ["file", "revision", "state", "hidden", "chunk_count"] as const;

export type FileRow = Row<"files", (typeof COLUMNS)[number]>;

export function findFile(sql: SqlStorage, fileId: FileId): FileRow | null {
  return select(sql, "files", [...COLUMNS], "WHERE id = ?", fileId)[0] ?? null;
}

/** The revision of an unknown file; every other revision is later. */
const NO_REVISION = -1;

/** Of a file that the index does not know. */
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
function filterable(entry: unknown): string[] {
  const values: unknown[] = Array.isArray(entry) ? entry : [entry];
  return values.flatMap((value) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? [String(value)]
      : [],
  );
}

/** External ids of the folders above a file in its drive, as its source reader lists them. */
export const ancestorsOf = ({ metadata }: FileFacts) => filterable(metadata["ancestors"]);

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
      modified_at = ${facts.modifiedAt} WHERE file = ${file}`;
  clearMetadata(sql, file);
  const entries = Object.entries(facts.metadata).flatMap(([field, entry]) =>
    filterable(entry).map((value) => [field, value]),
  );
  if (entries.length === 0) return;
  run(sql)`INSERT OR IGNORE INTO file_metadata (field, value, file)
    SELECT value ->> 0, value ->> 1, ${file} FROM json_each(${entries})`;
}

/** Keeps only a file's id and the revision that removed it. */
export function markRemoved(sql: SqlStorage, file: number, revision: number): void {
  run(sql)`UPDATE files SET state = 'removed', revision = ${revision}, hidden = 0,
      chunk_count = 0, path = '', name = '', external_id = NULL, url = NULL, ancestors = '[]',
      modified_at = 0 WHERE file = ${file}`;
  clearMetadata(sql, file);
}

function numberOf(sql: SqlStorage, { id, principals }: IndexAudience): number {
  const known = valueOf<number>(sql)`SELECT audience FROM audiences WHERE id = ${id}`;
  if (known !== null) return known;
  const added = valueOf<number>(sql)`INSERT INTO audiences (id) VALUES (${id}) RETURNING audience`;
  run(sql)`INSERT OR IGNORE INTO audience_members (principal, audience)
    SELECT value, ${added} FROM json_each(${principals})`;
  return added ?? 0;
}

type Written = [fileId: FileId, audience: number, revision: number];

/** An audience of an older revision than the index knows changes nothing. */
function setAudiences({ sql, change }: WriteContext, written: Written[]): void {
  const files = valuesOf<number>(sql)`
    UPDATE files SET audience = given.value ->> 1, readers_revision = given.value ->> 2
    FROM json_each(${written}) given
    WHERE files.id = given.value ->> 0 AND readers_revision < given.value ->> 2 RETURNING file`;
  change.files.push(...files);
}

/** Records who may read files; for a file not known yet, the audience of its first version. */
export const writeReaders: Verb<"writeReaders"> = (context, { audiences, files }) => {
  const { sql } = context;
  const numbers = new Map(audiences.map((audience) => [audience.id, numberOf(sql, audience)]));
  const ids = files.map(({ fileId }) => fileId);
  run(sql)`INSERT OR IGNORE INTO files (id, revision, state)
    SELECT value, ${NO_REVISION}, 'staging' FROM json_each(${ids})`;
  const written = files.map(({ fileId, audience, revision }): Written => {
    return [fileId, numbers.get(audience) ?? 0, revision];
  });
  setAudiences(context, written);
};

/** The same for one file whose version becomes live. */
export function writeReadersOf(
  context: WriteContext,
  fileId: FileId,
  readers: (IndexAudience & { revision: number }) | undefined,
): void {
  if (readers === undefined) return;
  setAudiences(context, [[fileId, numberOf(context.sql, readers), readers.revision]]);
}
