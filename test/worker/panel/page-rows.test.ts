import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test } from "vitest";

import { panelWith } from "../../support/panel-with.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn } from "../../support/worker-client.ts";

/** Records of each kind; a page that reads them all reads more than it may. */
const MANY = 3_000;
const FILES = 5_000;
const HOURS = 720;
/** A page of fifty lines, each with the rows that belong to it, and the hours of its calls. */
const PAGE_ROWS = 2_500;

/**
 * Fifty lines with calls in each of 25 hours: three rows a look-up, as D1 counts them; and the
 * 1,000 rows up to which lists are counted.
 */
const DAY_OF_CALLS_ROWS = 6_000;

const ask = panelWith();
let cookie = "";
const open = (path: string) => ask(path, { cookie });

beforeAll(async () => {
  ({ cookie } = await signedIn());
  await fill();
});
afterAll(queuesSettled);

const numbers = (count: number) => `(with recursive n(i) as (select 1 union all select i + 1 from n
  limit ${count}) select i, printf('%06d', i) as no from n)`;

/** As many of everything as a large installation has, one RAG with all the files. */
async function fill(): Promise<void> {
  await env.DB.batch(
    [
      `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash,
         created_at) values ('s', 'Docs', 'docs', 'file_system', '{}', '', 0)`,
      `insert into rags (id, name, identifier, file_source_id, scope_mode, created_at)
       select 'r' || no, 'RAG ' || no, 'rag-' || no, 's', 'scoped', 0 from ${numbers(MANY)}`,
      `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
         chunk_size, chunk_overlap, format, created_at)
       select id, 1, 'live', 'embedded/hash', 8, 400, 60, 1, 0 from rags`,
      `insert into inferences (id, name, identifier, system_prompt, model, native_rag, created_at)
       select 'i' || no, 'I ' || no, 'i-' || no, '', 'embedded/extractive', 1, 0
       from ${numbers(MANY)}`,
      `insert into inference_rags (inference_id, rag_id) select i.id, r.id
       from inferences i, (select id from rags limit 3) r`,
      `insert into tokens (id, name, hash, created_at)
       select 't' || no, 'T ' || no, no, 0 from ${numbers(MANY)}`,
      `insert into token_rags (token_id, rag_id) select t.id, r.id
       from tokens t, (select id from rags limit 8) r`,
      `insert into files (id, file_source_id, path, name, size, mime_type, version, metadata,
         created_at)
       select 'f' || no, 's', 'deep/' || (i % 7) || '/' || no, no, 1, 'text/plain', '1', '{}', 0
       from ${numbers(FILES)}`,
      `insert into rag_files (rag_id, generation, file_id, path, status, revision)
       select 'r000001', 1, id, path, 'error', 1 from files`,
      `insert into rag_scopes (rag_id, type, value, created_at)
       select 'r000001', 'path', 'other/' || no, 0 from ${numbers(FILES)}`,
      `insert into scan_runs (id, file_source_id, started_at, finished_at)
       select 'run' || no, 's', i, i from ${numbers(MANY)}`,
      `insert into usage_hours (hour, dimension, key, currency, calls, errors, degraded,
         input_tokens, output_tokens, cost)
       select (cast(unixepoch() / 3600 as int) - ago.i) * 3600000, 'inference', id, '', 1, 0, 0, 0,
         0, 0
       from inferences, ${numbers(HOURS)} ago where id <= 'i000050'`,
    ].map((sql) => env.DB.prepare(sql)),
  );
}

test.each([
  ["/panel/rags", "RAG 000050"],
  ["/panel/tokens", "T 002951"],
  ["/panel/rags/rag-000001", "RAG 000001"],
  ["/panel/rags/rag-000001/scope", "deep/"],
  ["/panel/rags/rag-000001/scope?path=deep/3/", "000003"],
  ["/panel/rags/rag-000001/preview", "Preview"],
  ["/panel/new/rag", "Docs"],
  ["/panel/tokens/new", "RAG 000001"],
  ["/panel/search", "RAG 000001"],
  ["/panel/rags?sort=-name", "1–50 of 1,000 RAGs or more, page 1"],
  ["/panel/rags/rag-000001/scope/everything", "1,000 choices or more"],
])("%s reads as many rows as it shows, whatever there are", async (path, expected) => {
  const { status, text, read: rowsRead } = await open(path);
  expect(status).toBe(200);
  expect(text).toContain(expected);
  expect(rowsRead).toBeLessThan(PAGE_ROWS);
});

test.each([
  ["/panel/rags?q=G%20002900", "RAG 002900"],
  ["/panel/tokens?q=2951", "T 002951"],
  ["/panel/settings/keys?q=x", "No matches."],
])("%s looks at each name, and reads only what is found", async (path, expected) => {
  const { text, read: rowsRead } = await open(path);
  expect(text).toContain(expected);
  // Counting and listing look at every name once.
  expect(rowsRead).toBeLessThan(2 * MANY + 100);
});

test("a list of inferences with calls in every hour of a month reads those of a day", async () => {
  const { status, text, read: rowsRead } = await open("/panel/inferences");
  expect(status).toBe(200);
  expect(text).toContain("I 000050");
  expect(text).toMatch(/>24</);
  expect(rowsRead).toBeLessThan(DAY_OF_CALLS_ROWS);
});

test("the list of inferences reads a row per inference and link, each RAG once", async () => {
  const { text, read: rowsRead } = await open("/api/inferences");
  const inferences = JSON.parse(text) as { fileSources: unknown[] }[];
  expect(inferences).toHaveLength(MANY);
  expect(inferences.at(-1)?.fileSources).toMatchObject(
    ["rag-000001", "rag-000002", "rag-000003"].map((ragIdentifier) => {
      return { ragIdentifier, identifier: "docs", provider: "file_system" };
    }),
  );
  expect(rowsRead).toBeLessThan(4 * MANY + 100);
});

test("the list of a source's runs costs a page, and tells how many there are", async () => {
  const { text, read: rowsRead } = await open("/panel/api/file-sources/docs/runs");
  expect(JSON.parse(text)).toMatchObject({ total: MANY });
  expect(rowsRead).toBeLessThan(100);
});

test("a later page costs the same, and leads back to the one before", async () => {
  const first = await open("/panel/tokens");
  const next = /href="([^"]*after=[^"]*)"/.exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const second = await open(next);
  expect(second.text).toContain("T 002950");
  expect(second.text).not.toContain("T 002951");
  expect(second.read).toBeLessThan(PAGE_ROWS);
  const back = /href="([^"]*before=[^"]*)"/.exec(second.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect((await open(back)).text).toContain("T 002951");
});
