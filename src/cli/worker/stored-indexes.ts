import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { INDEX_FORMAT } from "../../core/index-format.ts";
import { storedIndexesQuery, type StoredIndex } from "../../db/maintenance/stored-indexes.ts";
import { compile } from "../../db/sql.ts";

export type { StoredIndex };

/** Before it, Node.js has no SQLite of its own, or warns of it. */
const OLDEST_NODE_WITH_SQLITE = 24;

/**
 * What the local database of a state folder has indexed, the most files first. No server may use
 * it. Null where it cannot be read: there is none, or Node.js cannot.
 */
export async function storedIndexes(
  stateFolder: string,
  version = process.versions.node,
): Promise<StoredIndex[] | null> {
  if (Number.parseInt(version, 10) < OLDEST_NODE_WITH_SQLITE) return null;
  const file = await databaseFile(stateFolder);
  if (file === null) return null;
  const { DatabaseSync } = await import("node:sqlite");
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare(compile(storedIndexesQuery.sql).text).all();
    return rows.map(storedIndexesQuery.read);
  } catch {
    // Of another version of the service, or never migrated.
    return null;
  }
}

async function databaseFile(stateFolder: string): Promise<string | null> {
  const folder = join(stateFolder, "v3", "d1", "miniflare-D1DatabaseObject");
  const names = await readdir(folder).catch(() => []);
  const name = names.find((one) => /^[0-9a-f]{32,}\.sqlite$/.test(one));
  return name === undefined ? null : join(folder, name);
}

/** What is wanted of every index; `dimensions` null: those that the model has. */
export type WantedVectors = { model: string; dimensions: number | null };

/** One line about the indexes that the service will rebuild; null: none. */
export function rebuildNotice(stored: StoredIndex[], wanted: WantedVectors): string | null {
  const { model, dimensions } = wanted;
  const isSame = (one: StoredIndex) =>
    one.model === model && (dimensions === null || one.dimensions === dimensions);
  const others = stored.filter((one) => !isSame(one) || one.format !== INDEX_FORMAT);
  if (others.length === 0) return null;
  const files = others.reduce((sum, one) => sum + one.files, 0);
  const them = files === 1 ? "1 file is" : `${files} files are`;
  const most = others.find((one) => !isSame(one));
  if (most === undefined) {
    return `${them} indexed again with ${model}, because another version of Quarry indexed them. Meanwhile the previous index answers.`;
  }
  const isModel = most.model !== model;
  const before = isModel ? most.model : `${most.dimensions} dimensions`;
  const now = isModel ? model : `${model}, ${dimensions} dimensions`;
  const keep = isModel
    ? `EMBEDDING_MODEL=${most.model}`
    : `EMBEDDING_DIMENSIONS=${most.dimensions}`;
  const canStay = others.every(({ format }) => format === INDEX_FORMAT);
  return (
    `${them} embedded again with ${now}; the index was made with ${before}. ` +
    "Meanwhile the previous index answers, by words alone if its model does not run." +
    (canStay ? ` To keep it, press Ctrl-C and start with ${keep}.` : "")
  );
}
