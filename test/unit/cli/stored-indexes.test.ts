import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, expect, test } from "vitest";

import { rebuildNotice, storedIndexes } from "../../../src/cli/worker/stored-indexes.ts";
import { INDEX_FORMAT } from "../../../src/core/index-format.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarry-state-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function databaseOf(stateFolder: string): DatabaseSync {
  const place = join(stateFolder, "v3", "d1", "miniflare-D1DatabaseObject");
  mkdirSync(place, { recursive: true });
  new DatabaseSync(join(place, "metadata.sqlite")).close();
  const options = { enableForeignKeyConstraints: false };
  return new DatabaseSync(join(place, `${"ab12".repeat(16)}.sqlite`), options);
}

/** RAGs as the service stores them: of each the model of its live index and how many files. */
function store(rags: [model: string, files: number, removedAt?: number][]): void {
  const database = databaseOf(folder);
  database.exec("pragma journal_mode = wal");
  database.exec(readFileSync("migrations/0000_tables.sql", "utf8"));
  for (const [at, [model, files, removedAt = null]] of rags.entries()) {
    const id = `rag-${at}`;
    database
      .prepare(
        `insert into rags (id, name, identifier, file_source_id, created_at, generation, removed_at)
         values (?1, 'R', ?1, 'S', 0, 2, ?2)`,
      )
      .run(id, removedAt);
    for (const [generation, made] of ["embedded/older", model].entries()) {
      database
        .prepare(
          `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
             chunk_size, chunk_overlap, format, vectors_in, created_at, live_since, indexed_files)
           values (?1, ?2, 'live', ?3, 768, 400, 60, ?4, 'object', 0, 1, ?5)`,
        )
        .run(id, generation + 1, made, INDEX_FORMAT, files);
    }
  }
  database.close();
}

test("a state folder tells which models its files are embedded with", async () => {
  expect(await storedIndexes(folder)).toBeNull();
  store([
    ["local/nomic", 3],
    ["local/nomic", 4],
    ["embedded/hash", 2],
    ["local/gone", 50, 1],
  ]);
  const made = { dimensions: 768, format: INDEX_FORMAT };
  expect(await storedIndexes(folder)).toEqual([
    { model: "local/nomic", files: 7, ...made },
    { model: "embedded/hash", files: 2, ...made },
  ]);
  // An older Node.js cannot read it.
  expect(await storedIndexes(folder, "22.12.0")).toBeNull();
});

test("a database of another version is no reason not to start", async () => {
  databaseOf(folder).exec("create table rags (id text)");
  expect(await storedIndexes(folder)).toBeNull();
});

test("a rebuild is announced in one line, with what keeps the index", () => {
  const nomic = { model: "local/nomic", dimensions: 768, format: INDEX_FORMAT, files: 7 };
  expect(rebuildNotice([], { model: "local/nomic", dimensions: 768 })).toBeNull();
  expect(rebuildNotice([nomic], { model: "local/nomic", dimensions: 768 })).toBeNull();
  const told = rebuildNotice([nomic], { model: "embedded/hash", dimensions: 1_024 });
  expect(told).toMatch(
    /^7 files are embedded again with embedded\/hash; .* made with local\/nomic\./,
  );
  expect(told).toMatch(/EMBEDDING_MODEL=local\/nomic\.$/);
  expect(told).not.toContain("\n");
  expect(
    rebuildNotice([{ ...nomic, files: 1 }], { model: "local/nomic", dimensions: 512 }),
  ).toMatch(
    /^1 file is embedded again with local\/nomic, 512 dimensions; .*EMBEDDING_DIMENSIONS=768\.$/,
  );
  const older = { ...nomic, format: INDEX_FORMAT - 1 };
  expect(rebuildNotice([older], { model: "local/nomic", dimensions: null })).toMatch(
    /^7 files are indexed again with local\/nomic, because another version of Quarry/,
  );
});
