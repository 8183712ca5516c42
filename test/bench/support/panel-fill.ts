/** Rows of a large installation, made inside the database; one RAG has all the files. */
const FILES = 100_000;
const RAGS = 300;
const TOKENS = 1_000;
const RUNS = 3_000;

const AT_A_TIME = 20_000;

const numbers = (from: number, to: number) =>
  `(with recursive n(i) as (values (${from}) union all select i + 1 from n where i < ${to})
    select i, printf('%06d', i) as no from n)`;

const filesBetween = (from: number, to: number) => [
  `insert into files (id, file_source_id, path, name, size, mime_type, version, metadata, created_at)
   select 'f' || no, 's000001', 'deep/' || (i % 97) || '/' || no || '.md', no, 1000,
     'text/markdown', '1', '{}', 0 from ${numbers(from, to)}`,
  `insert into rag_files (rag_id, generation, file_id, path, status, revision, indexed_at,
     chunk_count, error_message)
   select 'r000001', 1, 'f' || no, 'deep/' || (i % 97) || '/' || no || '.md',
     case i % 1000 when 0 then 'error' else 'indexed' end, 1, 0, 3, 'damaged'
   from ${numbers(from, to)}`,
];

export const FILL = [
  `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash, created_at)
   select 's' || no, 'Source ' || no, 'source-' || no, 'file_system', '{}', '', 0
   from ${numbers(1, RAGS)}`,
  `insert into rags (id, name, identifier, file_source_id, created_at)
   select 'r' || no, 'RAG ' || no, 'rag-' || no, 's' || no, 0 from ${numbers(1, RAGS)}`,
  `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions, chunk_size,
     chunk_overlap, format, created_at)
   select id, 1, 'live', 'embedded/hash', 1024, 400, 60, 1, 0 from rags`,
  `insert into inferences (id, name, identifier, system_prompt, model, native_rag, created_at)
   select 'i' || no, 'Inference ' || no, 'inference-' || no, '', 'embedded/extractive', 1, 0
   from ${numbers(1, RAGS)}`,
  `insert into inference_rags (inference_id, rag_id)
   select i.id, r.id from inferences i, (select id from rags limit 3) r`,
  `insert into tokens (id, name, hash, created_at)
   select 't' || no, 'Token ' || no, no, 0 from ${numbers(1, TOKENS)}`,
  `insert into token_rags (token_id, rag_id)
   select t.id, r.id from tokens t, (select id from rags limit 8) r`,
  `insert into scan_runs (id, file_source_id, started_at, finished_at)
   select 'run' || no, 's000001', i, i from ${numbers(1, RUNS)}`,
  `insert into usage_hours (hour, dimension, key, currency, calls, errors, degraded, input_tokens,
     output_tokens, cost)
   select (cast(unixepoch() / 3600 as int) - hours.i) * 3600000, 'inference', inferences.id, '', 1,
     0, 0, 0, 0, 0 from inferences, ${numbers(0, 167)} hours`,
  ...Array.from({ length: FILES / AT_A_TIME }, (_, part) =>
    filesBetween(part * AT_A_TIME + 1, (part + 1) * AT_A_TIME),
  ).flat(),
];

/** Pages that read lists, and one page of each thing. */
export const PAGES = [
  "/panel",
  "/panel/search",
  "/panel/sources",
  "/panel/sources/source-000001",
  "/panel/sources/source-000001?path=deep/50/",
  "/panel/sources/source-000001?status=error",
  "/panel/sources/source-000001/runs",
  "/panel/sources/source-000001/settings",
  "/panel/sources/source-000001/file?path=deep/50/000050.md",
  "/panel/rags",
  "/panel/rags?q=rag-0002",
  "/panel/rags/rag-000001",
  "/panel/rags/rag-000001/settings",
  "/panel/rags/rag-000001/scope",
  "/panel/rags/rag-000001/preview",
  "/panel/inferences",
  "/panel/inferences/inference-000001",
  "/panel/inferences/inference-000001/settings",
  "/panel/agents",
  "/panel/tokens",
  "/panel/tokens?q=Token%200005",
  "/panel/tokens/new",
  "/panel/settings",
  "/panel/settings/keys",
  "/panel/settings/models",
  "/panel/settings/log",
];
