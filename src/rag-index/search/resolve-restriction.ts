import type { MetadataFilter, Restriction } from "../../ports/rag-index.ts";
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

export const isRestricted = ({ named, metadata }: Restriction) =>
  named !== null || metadata.length > 0;

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

/** The files that satisfy every part, hidden ones among them; null when there is no part. */
function matchingFiles(sql: SqlStorage, { named, metadata }: Restriction): Set<number> | null {
  const parts = metadata.map((filter) => filesWith(sql, filter));
  if (named !== null) {
    const { files, folders } = named;
    parts.push(new Set([...filesNamed(sql, files), ...filesInFolders(sql, folders)]));
  }
  const [first, ...others] = parts;
  if (first === undefined) return null;
  return new Set([...first].filter((file) => others.every((part) => part.has(file))));
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
