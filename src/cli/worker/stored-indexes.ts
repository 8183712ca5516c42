import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { INDEX_FORMAT } from "../../core/index-format.ts";
import { modelBeingBuiltQuery, partsQuery } from "../../db/maintenance/stored-indexes.ts";
import { storedIndexesQuery, type StoredIndex } from "../../db/maintenance/stored-indexes.ts";
import { compile, type ReadStatement } from "../../db/sql.ts";

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
  return await rowsOf(stateFolder, storedIndexesQuery, version);
}

/** The index that an earlier start began last and did not finish; null: none. */
export async function modelBeingBuilt(stateFolder: string): Promise<string | null> {
  const rows = await rowsOf(stateFolder, modelBeingBuiltQuery, process.versions.node);
  return rows?.[0]?.model ?? null;
}

/** Null where the database cannot be read. */
async function rowsOf<Row>(
  stateFolder: string,
  query: ReadStatement<Row>,
  version: string,
): Promise<Row[] | null> {
  if (Number.parseInt(version, 10) < OLDEST_NODE_WITH_SQLITE) return null;
  const file = await databaseFile(stateFolder);
  if (file === null) return null;
  const { DatabaseSync } = await import("node:sqlite");
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare(compile(query.sql).text).all().map(query.read);
    } finally {
      database.close();
    }
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

/**
 * A column (`rags.status`), index or trigger that the migrations make and the database of a state
 * folder lacks: it was made before the first release, by a migration that was changed since. Null:
 * there is none, or it is unknown.
 */
export async function missingPart(stateFolder: string, sql: string): Promise<string | null> {
  const rows = await rowsOf(stateFolder, partsQuery, process.versions.node);
  if (rows === null) return null;
  const { DatabaseSync } = await import("node:sqlite");
  const made = new DatabaseSync(":memory:");
  made.exec(sql);
  const stored = new Set(rows.map(({ name }) => name));
  const wanted = made.prepare(compile(partsQuery.sql).text).all().map(partsQuery.read);
  made.close();
  return wanted.find(({ name }) => !stored.has(name))?.name ?? null;
}

/** What is wanted of every index; `dimensions` null: those that the model has. */
export type WantedVectors = { model: string; dimensions: number | null };

/**
 * One line about the indexes that the service will rebuild; null: none. `begunWith`: the model of
 * an unfinished rebuild.
 */
export function rebuildNotice(
  stored: StoredIndex[],
  wanted: WantedVectors,
  begunWith: string | null = null,
): string | null {
  const { model, dimensions } = wanted;
  const isSame = (one: StoredIndex) =>
    one.model === model && (dimensions === null || one.dimensions === dimensions);
  const others = stored.filter((one) => !isSame(one) || one.format !== INDEX_FORMAT);
  if (others.length === 0) return null;
  const files = others.reduce((sum, one) => sum + one.files, 0);
  const them = files === 1 ? "1 file is" : `${files} files are`;
  const most = others.find((one) => !isSame(one));
  if (most === undefined) {
    return `${them} indexed again with ${model}, as another version of Quarry indexed them. Meanwhile the previous index answers.`;
  }
  const isModel = most.model !== model;
  const before = isModel ? most.model : `${most.dimensions} dimensions`;
  const now = isModel ? model : `${model}, ${dimensions} dimensions`;
  const keep = isModel
    ? `EMBEDDING_MODEL=${most.model}`
    : `EMBEDDING_DIMENSIONS=${most.dimensions}`;
  const canStay = others.every(({ format }) => format === INDEX_FORMAT);
  const begun = begunWith === model ? ", continuing an earlier start" : "";
  return (
    `${them} embedded again with ${now}${begun}; the index was made with ${before}. ` +
    "Meanwhile the previous index answers, by words alone if its model does not run." +
    (canStay ? ` To keep it, press Ctrl-C and start with ${keep}.` : "")
  );
}
