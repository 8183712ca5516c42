import type { FileCondition, MetadataFilter, Restriction } from "../../ports/rag-index.ts";
import { readTotals } from "../totals.ts";
import { trimEnd } from "../../core/trim.ts";

/** What a call may see: every live chunk, or those of the files in the set. */
export type EligibleFiles = {
  /** Null: nothing is hidden or restricted. */
  files: ReadonlySet<number> | null;
  /** Chunks of these files. */
  chunkCount: number;
};

type FileRow = { file: number; chunk_count: number };

const VISIBLE = "f.state = 'live' AND f.hidden = 0";

export const isRestricted = ({ named, metadata, condition }: Restriction) =>
  named !== null || metadata.length > 0 || condition !== undefined;

function filesNamed(sql: SqlStorage, names: string[]): number[] {
  const list = JSON.stringify(names);
  const rows = sql.exec<{ file: number }>(
    `SELECT f.file FROM json_each(?1) name CROSS JOIN files f ON f.path = name.value
        WHERE f.state = 'live'
      UNION SELECT f.file FROM json_each(?1) name CROSS JOIN files f ON f.external_id = name.value
        WHERE f.state = 'live'`,
    list,
  );
  return Array.from(rows, ({ file }) => file);
}

/** The first text after all that begin with `folder/`: the character `0` follows `/`. */
const endOf = (folder: string) => `${folder}0`;

function filesInFolders(sql: SqlStorage, folders: string[]): number[] {
  // A range instead of LIKE: exact for any characters and length, and served by the path's index.
  const ranges = folders.map((folder) => {
    const bare = trimEnd(folder, "/");
    return bare === "" ? ["", "\u{10ffff}"] : [`${bare}/`, endOf(bare)];
  });
  const rows = sql.exec<{ file: number }>(
    `SELECT f.file FROM json_each(?) range CROSS JOIN files f
      ON f.path >= range.value ->> 0 AND f.path < range.value ->> 1 WHERE f.state = 'live'`,
    JSON.stringify(ranges),
  );
  return Array.from(rows, ({ file }) => file);
}

function filesWith(sql: SqlStorage, { field, values }: MetadataFilter): Set<number> {
  const rows = sql.exec<{ file: number }>(
    `SELECT DISTINCT m.file FROM json_each(?) wanted
      CROSS JOIN file_metadata m ON m.field = ? AND m.value = wanted.value`,
    JSON.stringify(values),
    field,
  );
  return new Set(Array.from(rows, ({ file }) => file));
}

function filesAt(sql: SqlStorage, paths: string[]): Set<number> {
  const rows = sql.exec<{ file: number }>(
    `SELECT f.file FROM json_each(?) name CROSS JOIN files f ON f.path = name.value
      WHERE f.state = 'live'`,
    JSON.stringify(paths),
  );
  return new Set(Array.from(rows, ({ file }) => file));
}

function everyFile(sql: SqlStorage): Set<number> {
  const rows = sql.exec<{ file: number }>("SELECT file FROM files WHERE state = 'live'");
  return new Set(Array.from(rows, ({ file }) => file));
}

function intersection([first = new Set(), ...others]: Set<number>[]): Set<number> {
  return new Set([...first].filter((file) => others.every((other) => other.has(file))));
}

function union(sets: Set<number>[]): Set<number> {
  const all = new Set<number>();
  for (const files of sets) for (const file of files) all.add(file);
  return all;
}

function filesWhere(sql: SqlStorage, condition: FileCondition): Set<number> {
  const each = (conditions: FileCondition[]) => conditions.map((one) => filesWhere(sql, one));
  if ("any" in condition) return union(each(condition.any));
  if ("not" in condition) {
    const excluded = filesWhere(sql, condition.not);
    return new Set([...everyFile(sql)].filter((file) => !excluded.has(file)));
  }
  if ("paths" in condition) return filesAt(sql, condition.paths);
  if ("folder" in condition) return new Set(filesInFolders(sql, [condition.folder]));
  if ("metadata" in condition) return filesWith(sql, condition.metadata);
  return condition.all.length === 0 ? everyFile(sql) : intersection(each(condition.all));
}

/** The files that satisfy every part, hidden ones among them; null when there is no part. */
function matchingFiles(sql: SqlStorage, restriction: Restriction): Set<number> | null {
  const { named, metadata, condition } = restriction;
  const parts = metadata.map((filter) => filesWith(sql, filter));
  if (condition !== undefined) parts.push(filesWhere(sql, condition));
  if (named !== null) {
    const { files, folders } = named;
    parts.push(new Set([...filesNamed(sql, files), ...filesInFolders(sql, folders)]));
  }
  return parts.length === 0 ? null : intersection(parts);
}

/** Resolves a restriction and the scopes together; exact at any number of files. */
export function resolveRestriction(sql: SqlStorage, restriction: Restriction): EligibleFiles {
  const totals = readTotals(sql);
  const matching = matchingFiles(sql, restriction);
  if (matching === null && totals.hiddenFiles === 0) {
    return { files: null, chunkCount: totals.chunks };
  }
  const rows =
    matching === null
      ? sql.exec<FileRow>(`SELECT f.file, f.chunk_count FROM files f WHERE ${VISIBLE}`)
      : sql.exec<FileRow>(
          `SELECT f.file, f.chunk_count FROM json_each(?) wanted
            CROSS JOIN files f ON f.file = wanted.value WHERE ${VISIBLE}`,
          JSON.stringify([...matching]),
        );
  const files = new Set<number>();
  let chunkCount = 0;
  for (const row of rows) {
    files.add(row.file);
    chunkCount += row.chunk_count;
  }
  return { files, chunkCount };
}
