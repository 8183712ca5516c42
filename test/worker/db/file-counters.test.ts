import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

const RAG_COUNTERS =
  "select pending_files, indexed_files, deleted_files, number_vectors from rag_generations where rag_id = 'rag'";

async function run(...statements: string[]) {
  await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)));
}

async function counters() {
  return await env.DB.prepare(RAG_COUNTERS).first();
}

test("a RAG's counters follow every change of its files", async () => {
  await run(
    "insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash, created_at) values ('source', 'S', 's', 'file_system', '{}', '', 0)",
    "insert into rags (id, name, identifier, file_source_id, created_at) values ('rag', 'R', 'r', 'source', 0)",
    "insert into rag_generations (rag_id, generation, state, embedding_model, dimensions, chunk_size, chunk_overlap, format, created_at) values ('rag', 1, 'live', 'm', 8, 400, 60, 1, 0)",
    "insert into files (id, file_source_id, path, name, size, mime_type, version, metadata, created_at) values ('a', 'source', 'a', 'a', 1, 'text/plain', '1', '{}', 0), ('b', 'source', 'b', 'b', 1, 'text/plain', '1', '{}', 0)",
    "insert into rag_files (rag_id, generation, file_id, path, status, revision) values ('rag', 1, 'a', 'a', 'pending', 1), ('rag', 1, 'b', 'b', 'pending', 1)",
  );
  expect(await counters()).toEqual({
    pending_files: 2,
    indexed_files: 0,
    deleted_files: 0,
    number_vectors: 0,
  });

  await run("update rag_files set status = 'indexed', chunk_count = 7 where file_id = 'a'");
  await run("update rag_files set status = 'deleted' where file_id = 'b'");
  expect(await counters()).toEqual({
    pending_files: 0,
    indexed_files: 1,
    deleted_files: 1,
    number_vectors: 7,
  });

  await run("delete from files where id in ('a', 'b')");
  expect(await counters()).toEqual({
    pending_files: 0,
    indexed_files: 0,
    deleted_files: 0,
    number_vectors: 0,
  });
});
