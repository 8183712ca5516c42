import { run, CREATE_TABLES, valueOf } from "./tables.ts";

/** The text is folded already: marks that are left belong to words. */
export const TOKENIZER = "porter unicode61 remove_diacritics 0 categories 'L* N* Co M*'";

/** Another `indexedTextsOf` or tokenizer needs a new generation: FTS5 deletes rows by old words. */
const CREATE = `${CREATE_TABLES}
  CREATE INDEX files_path ON files (path) WHERE state = 'live';
  CREATE INDEX files_external_id ON files (external_id) WHERE state = 'live';
  CREATE INDEX file_metadata_file ON file_metadata (file);
  CREATE INDEX chunks_file ON chunks (file, live);
  CREATE INDEX chunks_duplicate_key ON chunks (duplicate_key, chunk) WHERE live = 1;
  CREATE INDEX chunks_left ON chunks (chunk) WHERE live = 3;
  CREATE INDEX in_flight_vectors_live ON in_flight_vectors (chunk) WHERE live = 1;
  CREATE INDEX in_flight_vectors_batch ON in_flight_vectors (batch);
  CREATE INDEX vector_tombstones_due ON vector_tombstones (due_at);
  CREATE INDEX vector_folders_stale ON vector_folders (file, queued) WHERE stale = 1;
  CREATE INDEX vector_folders_left ON vector_folders (folder) WHERE stale = 1;
  INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0);
  CREATE VIRTUAL TABLE words USING fts5 (
    headings, text, content = '',
    tokenize = "${TOKENIZER}"
  );
  -- Without it the words of deleted chunks stay in the index until its segments are merged.
  INSERT INTO words (words, rank) VALUES ('secure-delete', 1);`;

/** Bring an older object's tables to `CREATE`, once each, in order. Never edit a released one. */
const STEPS: string[] = [
  `CREATE TABLE sign_codes (chunk INTEGER PRIMARY KEY, code BLOB NOT NULL) STRICT;`,
  `CREATE TABLE contents (
    chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL, text TEXT NOT NULL
  ) STRICT;
  INSERT INTO contents SELECT chunk, vector, text FROM vectors JOIN texts USING (chunk);
  DROP TABLE texts;
  DROP TABLE vectors;`,
  `ALTER TABLE files ADD COLUMN modified_at INTEGER NOT NULL DEFAULT 0;`,
  `CREATE TABLE exclusions (
    kind TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, value)
  ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE files ADD COLUMN audience INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE files ADD COLUMN readers_revision INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE audiences (audience INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE audience_members (
    principal TEXT NOT NULL, audience INTEGER NOT NULL, PRIMARY KEY (principal, audience)
  ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE chunks ADD COLUMN languages TEXT NOT NULL DEFAULT '';`,
  `ALTER TABLE files ADD COLUMN readers_from INTEGER NOT NULL DEFAULT 0;`,
  `ALTER TABLE chunks ADD COLUMN recognised INTEGER NOT NULL DEFAULT 0;`,
  `ALTER TABLE chunks ADD COLUMN is_named INTEGER NOT NULL DEFAULT 0;`,
  `CREATE INDEX chunks_left ON chunks (chunk) WHERE live = 3;`,
];

export function hasSchema(sql: SqlStorage): boolean {
  return valueOf(sql)`SELECT 1 FROM sqlite_master WHERE name = 'schema_steps'` !== null;
}

/** Creates the tables, or brings those of an older version up to date; all or nothing. */
export function prepareSchema(storage: DurableObjectStorage): void {
  const { sql } = storage;
  storage.transactionSync(() => {
    sql.exec("CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY) STRICT");
    const stepCount = valueOf<number>(sql)`SELECT count(*) FROM schema_steps` ?? 0;
    if (stepCount === 0) sql.exec(CREATE);
    for (const [at, step] of [CREATE, ...STEPS].entries()) {
      if (at < stepCount) continue;
      if (stepCount > 0) sql.exec(step);
      run(sql)`INSERT INTO schema_steps (step) VALUES (${at + 1})`;
    }
  });
}
