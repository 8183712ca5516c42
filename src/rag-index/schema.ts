/**
 * The tables of one index object. Steps run once each and in order; a released step is never
 * edited. The search words are part of the format: a change of `indexTextOf` or of a
 * tokenizer needs a new generation, because rows are deleted from the FTS index by their old words.
 */
const STEPS: string[] = [
  `CREATE TABLE files (
    file INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('staging', 'live', 'removed')),
    hidden INTEGER NOT NULL DEFAULT 0,
    chunk_count INTEGER NOT NULL DEFAULT 0,
    path TEXT NOT NULL DEFAULT '',
    name TEXT NOT NULL DEFAULT '',
    external_id TEXT,
    url TEXT,
    ancestors TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX files_path ON files (path) WHERE state = 'live';
  CREATE INDEX files_external_id ON files (external_id) WHERE state = 'live';
  CREATE TABLE file_metadata (
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    file INTEGER NOT NULL,
    PRIMARY KEY (field, value, file)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX file_metadata_file ON file_metadata (file);
  CREATE TABLE chunks (
    chunk INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    file INTEGER NOT NULL,
    live INTEGER NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL,
    duplicate INTEGER NOT NULL DEFAULT 0,
    duplicate_key TEXT NOT NULL,
    position INTEGER NOT NULL DEFAULT 0,
    headings TEXT NOT NULL DEFAULT '[]',
    page INTEGER,
    start_at INTEGER NOT NULL DEFAULT 0,
    end_at INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX chunks_file ON chunks (file, live);
  CREATE INDEX chunks_duplicate_key ON chunks (duplicate_key, chunk) WHERE live = 1;
  CREATE TABLE texts (chunk INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
  CREATE TABLE in_flight_vectors (
    chunk INTEGER PRIMARY KEY,
    live INTEGER NOT NULL DEFAULT 0,
    batch INTEGER,
    sent_at INTEGER NOT NULL DEFAULT 0,
    seen_at INTEGER,
    folder TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX in_flight_vectors_live ON in_flight_vectors (chunk) WHERE live = 1;
  CREATE INDEX in_flight_vectors_batch ON in_flight_vectors (batch);
  CREATE TABLE vector_tombstones (
    id TEXT PRIMARY KEY,
    due_at INTEGER NOT NULL DEFAULT 0,
    removed INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX vector_tombstones_due ON vector_tombstones (due_at);
  CREATE TABLE vector_folders (
    file INTEGER NOT NULL,
    folder TEXT NOT NULL,
    stale INTEGER NOT NULL DEFAULT 0,
    queued INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (file, folder)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX vector_folders_stale ON vector_folders (file, queued) WHERE stale = 1;
  CREATE INDEX vector_folders_left ON vector_folders (folder) WHERE stale = 1;
  CREATE TABLE totals (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    chunks INTEGER NOT NULL,
    files INTEGER NOT NULL,
    hidden_files INTEGER NOT NULL,
    staged INTEGER NOT NULL,
    tombstones INTEGER NOT NULL
  ) STRICT;
  INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0);
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE term_counts (one INTEGER PRIMARY KEY CHECK (one = 1), counts BLOB NOT NULL) STRICT;
  CREATE TABLE term_changes (
    change INTEGER PRIMARY KEY,
    sign INTEGER NOT NULL,
    slots BLOB NOT NULL
  ) STRICT;
  CREATE VIRTUAL TABLE words USING fts5 (
    headings, text, content = '', tokenize = 'porter unicode61'
  );
  -- Without it the words of deleted chunks stay in the index until its segments are merged.
  INSERT INTO words (words, rank) VALUES ('secure-delete', 1);`,
  `CREATE TABLE sign_codes (chunk INTEGER PRIMARY KEY, code BLOB NOT NULL) STRICT;`,
  // A vector of 1,024 dimensions alone fills half a page, and no second one fits beside it.
  `CREATE TABLE contents (
    chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL, text TEXT NOT NULL
  ) STRICT;
  INSERT INTO contents SELECT chunk, vector, text FROM vectors JOIN texts USING (chunk);
  DROP TABLE texts;
  DROP TABLE vectors;`,
];

export function hasSchema(sql: SqlStorage): boolean {
  const found = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'schema_steps'").toArray();
  return found.length > 0;
}

/** Brings the tables up to date, all or nothing. */
export function prepareSchema(storage: DurableObjectStorage): void {
  const { sql } = storage;
  storage.transactionSync(() => {
    sql.exec("CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY) STRICT");
    const done = sql.exec<{ steps: number }>("SELECT count(*) AS steps FROM schema_steps").one();
    for (const [at, step] of STEPS.entries()) {
      if (at < done.steps) continue;
      sql.exec(step);
      sql.exec("INSERT INTO schema_steps (step) VALUES (?)", at + 1);
    }
  });
}
