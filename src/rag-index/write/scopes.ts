import { z } from "zod";

import { BitSet } from "../../core/bit-set.ts";
import type { IndexScope, SearchExclusions } from "../../ports/rag-index.ts";
import {
  run,
  readSetting,
  writeSetting,
  stringsIn,
  select,
  addToTotals,
  valueOf,
  valuesOf,
} from "../tables.ts";
import type { Verb } from "./write-context.ts";

/** The fields that decide whether a file is inside the scopes. */
type FilePlace = { path: string; externalId: string | null; ancestors: string[] };

export type ScopeTest = (file: FilePlace) => boolean;

/** `docs/a/b.md` gives `docs/` and `docs/a/`. */
function foldersAbove(path: string): string[] {
  return Array.from(path.matchAll(/\//g), ({ index }) => path.slice(0, index + 1));
}

/** A scope ending in `/` holds all below it; an external id, also what is below; null, all. */
export function scopeTest(scopes: IndexScope[] | null): ScopeTest {
  if (scopes === null) return () => true;
  const valuesOf = (type: IndexScope["type"]) =>
    new Set(scopes.filter((scope) => scope.type === type).map(({ value }) => value));
  const paths = valuesOf("path");
  const externalIds = valuesOf("externalId");
  return ({ path, externalId, ancestors }) =>
    (paths.has(path) && !path.endsWith("/")) ||
    foldersAbove(path).some((folder) => paths.has(folder)) ||
    (externalId !== null && externalIds.has(externalId)) ||
    ancestors.some((ancestor) => externalIds.has(ancestor));
}

const SETTING = "scopes";
const scopesSchema = z
  .array(z.object({ type: z.enum(["path", "externalId"]), value: z.string() }))
  .nullable();

export function readScopes(sql: SqlStorage): IndexScope[] | null {
  return scopesSchema.parse(JSON.parse(readSetting(sql, SETTING) ?? "null"));
}

/** Stores the scopes and what is excluded; hides or shows live files accordingly. */
export const restrictToScopes: Verb<"restrictToScopes"> = (
  { sql, change },
  scopes,
  excluded = { paths: [], passages: [] },
) => {
  writeSetting(sql, SETTING, JSON.stringify(scopes));
  writeExclusions(sql, excluded);
  const leftOut = excludedPaths(sql);
  const holds = scopeTest(scopes);
  const changed: number[] = [];
  let hiddenFiles = 0;
  const columns = ["file", "hidden", "path", "external_id", "ancestors"] as const;
  const rows = select(sql, "files", [...columns], "WHERE state = 'live'");
  for (const { file, hidden: wasHidden, path, external_id: externalId, ancestors } of rows) {
    const place = { path, externalId, ancestors: stringsIn(ancestors) };
    const isShown = holds(place) && !leftOut.has(path);
    if (isShown !== (wasHidden === 1)) continue;
    changed.push(file);
    hiddenFiles += wasHidden === 1 ? -1 : 1;
  }
  run(sql)`UPDATE files SET hidden = 1 - hidden
    WHERE file IN (SELECT value FROM json_each(${changed}))`;
  change.files.push(...changed);
  addToTotals(sql, { hiddenFiles });
};

function writeExclusions(sql: SqlStorage, { paths, passages }: SearchExclusions): void {
  const rows = [...paths.map((path) => ["file", path]), ...passages.map((key) => ["passage", key])];
  run(sql)`DELETE FROM exclusions`;
  run(sql)`INSERT OR IGNORE INTO exclusions (kind, value)
    SELECT value ->> 0, value ->> 1 FROM json_each(${rows})`;
}

function excludedPaths(sql: SqlStorage): Set<string> {
  return new Set(
    select(sql, "exclusions", ["value"], "WHERE kind = 'file'").map(({ value }) => value),
  );
}

/** A file that is left out stays so where it moves, from the write on that names its path. */
export function moveExclusion(sql: SqlStorage, from: string, to: string): void {
  run(sql)`INSERT OR IGNORE INTO exclusions (kind, value)
    SELECT kind, ${to} FROM exclusions WHERE kind = 'file' AND value = ${from}`;
}

export const isPathExcluded = (sql: SqlStorage, path: string): boolean =>
  valueOf(sql)`SELECT 1 FROM exclusions WHERE kind = 'file' AND value = ${path}` !== null;

/** The live chunks of the excluded passages' texts; null: nothing is excluded. */
export function excludedChunks(sql: SqlStorage): BitSet | null {
  const chunks = valuesOf<number>(sql)`SELECT c.chunk FROM exclusions e
    CROSS JOIN chunks c ON c.duplicate_key = e.value AND c.live = 1 WHERE e.kind = 'passage'`;
  return chunks.length === 0 ? null : new BitSet(chunks);
}
