import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { BitSet } from "../../../src/core/bit-set.ts";
import { hasRoom } from "../../../src/rag-index/vectors/in-flight-vectors.ts";
import { planMovedFiles } from "../../../src/rag-index/vectors/vector-folders.ts";
import { countStatements, indexOf, write, stubOf } from "./support.ts";

/** More than one search may read. */
const FILES = 20_000;
const ALL = new BitSet(Array.from({ length: FILES }, (_, at) => 100 + at));
const inNew = { named: { files: [], folders: ["new/"] }, metadata: [] };

/** The tables of an index of its own. */
async function withTables(name: string, work: (sql: SqlStorage) => void): Promise<void> {
  await write(indexOf(name), "a.md", 1, ["A note."]);
  await runInDurableObject(stubOf(name), (_object, { storage: { sql } }) => work(sql));
}

/** All files have left for `new`, each from the folder that this SQL says of its number `i`. */
function moveTree(sql: SqlStorage, folder: string): void {
  sql.exec(
    `WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 99 + ?)
      INSERT INTO files (file, id, revision, state, path)
      SELECT i, 'file ' || i, 1, 'live', 'new/' || i || '.md' FROM n`,
    FILES,
  );
  sql.exec(
    `INSERT INTO vector_folders (file, folder, stale)
      SELECT file, ${folder}, 1 FROM (SELECT file, file AS i FROM files WHERE file >= 100)`,
  );
}

test("a search of a moved tree reads a bounded part, and asks everywhere", async () => {
  await withTables("tree", (sql) => {
    moveTree(sql, "'old/' || (i % 60)");
    const { rowsRead } = countStatements(sql);
    expect(planMovedFiles(sql, inNew, ALL)).toBe("anywhere");
    expect(rowsRead()).toBeLessThan(6_000);
  });
});

test("a search of few files asks for those alone, however many others have moved", async () => {
  await withTables("others", (sql) => {
    moveTree(sql, "'old/' || i");
    sql.exec("DELETE FROM vector_folders WHERE file = 102");
    const { rowsRead } = countStatements(sql);
    const files = planMovedFiles(sql, inNew, new BitSet([101, 102, 103]));
    expect(files).toEqual(["file 101", "file 103"]);
    // Who asks for where they lay finds them there.
    const inOld = { named: { files: [], folders: ["new", "old"] }, metadata: [] };
    expect(planMovedFiles(sql, inOld, new BitSet([101]))).toEqual([]);
    expect(rowsRead()).toBeLessThan(30);
  });
});

test("a removed file that had moved frees no in-flight room", async () => {
  await withTables("room", (sql) => {
    const chunksFrom = (first: number) => Array.from({ length: 5_000 }, (_, at) => first + at);
    const [scanned, moved, entering] = [chunksFrom(10_000), chunksFrom(20_000), chunksFrom(30_000)];
    for (const [chunks, live] of [
      [scanned, 1],
      [moved, 0],
      [entering, 0],
    ] as const) {
      sql.exec(
        "INSERT INTO in_flight_vectors (chunk, live) SELECT value, ? FROM json_each(?)",
        live,
        JSON.stringify(chunks),
      );
    }
    expect(hasRoom(sql, entering, moved)).toBe(false);
    expect(hasRoom(sql, entering, scanned)).toBe(true);
  });
});
