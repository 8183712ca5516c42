import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { listFilesOfSource } from "../../../src/db/files/source-file-list.ts";
import { readFilePage } from "../../../src/db/files/source-file-pages.ts";
import { isInColumns } from "../../../src/db/page.ts";
import { hasRows, openDatabase } from "../../../src/db/sql.ts";

const FILES = 100_500;
const sourceId = "pages" as FileSourceId;
const live = { ragId: "paged" as RagId, generation: 1 };

beforeAll(async () => {
  const numbers = `(with recursive n(i) as (select 1 union all select i + 1 from n limit ${FILES})
    select i, printf('%06d', i) as no from n)`;
  await env.DB.batch(
    [
      `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash,
         created_at) values ('pages', 'Pages', 'pages', 'file_system', '{}', '', 0)`,
      `insert into rags (id, name, identifier, file_source_id, created_at)
         values ('paged', 'Paged', 'paged', 'pages', 0)`,
      `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
         chunk_size, chunk_overlap, format, created_at)
         values ('paged', 1, 'live', 'embedded/hash', 8, 400, 60, 1, 0)`,
      `insert into files (id, file_source_id, path, name, size, mime_type, version, metadata,
         created_at) select 'p' || no, 'pages', 'folder/' || no ||
           case when i % 1000 = 7 then '-Report.md' when i = ${FILES} then '-last.md' else '.md' end,
         no, 1, 'text/markdown', '1', '{}', 0 from ${numbers}`,
      `insert into rag_files (rag_id, generation, file_id, path, status, revision)
         select 'paged', 1, id, path, 'error', 1 from files where file_source_id = 'pages'`,
    ].map((sql) => env.DB.prepare(sql)),
  );
});

const page = async (
  part: string,
  at: { after?: string[]; before?: string[] } = {},
  error = false,
) =>
  await readFilePage(openDatabase(env.DB), {
    sourceId,
    part,
    at: { after: null, before: null, limit: 2, ...at },
    status: error ? { status: "error", indexes: [live] } : null,
  });
const pathsOf = ({ data }: Awaited<ReturnType<typeof page>>) => data.map(({ path }) => path);

test.each([false, true])(
  "files are found by any part of their path (by status: %s)",
  async (error) => {
    const first = await page("report", {}, error);
    expect(pathsOf(first)).toEqual(["folder/000007-Report.md", "folder/001007-Report.md"]);
    const second = await page("report", { after: ["folder/001007-Report.md"] }, error);
    expect(pathsOf(second)).toEqual(["folder/002007-Report.md", "folder/003007-Report.md"]);
    const back = await page("report", { before: ["folder/002007-Report.md"] }, error);
    expect(pathsOf(back)).toEqual(pathsOf(first));
    expect(pathsOf(await page("", {}, error))).toEqual(["folder/000001.md", "folder/000002.md"]);
    expect(pathsOf(await page("100%", {}, error))).toEqual([]);
  },
);

test.each([false, true])(
  "a search reads 100,000 paths, the next page the rest (by status: %s)",
  async (error) => {
    const first = await page("last", {}, error);
    expect(first).toMatchObject({ data: [], after: ["folder/100000.md"] });
    const second = await page("last", { after: ["folder/100000.md"] }, error);
    expect(pathsOf(second)).toEqual([`folder/${FILES}-last.md`]);
    expect(second.after).toBeNull();
    // A last page that is full leads to no empty one.
    const last = { after: ["folder/100498.md"] };
    expect(await page("", last, error)).toMatchObject({ data: [{}, {}], after: null });
  },
);

test("the API's list is searched as well, within a folder and a status", async () => {
  const db = openDatabase(env.DB);
  const list = { sourceId, offset: 0, limit: 2 };
  const reports = await listFilesOfSource(db, { ...list, contains: "REPORT", status: "error" });
  expect(reports.data[0]).toMatchObject({ path: "folder/000007-Report.md" });
  expect(reports.total).toBe(100);
  const none = await listFilesOfSource(db, { ...list, contains: "report", path: "other" });
  expect(none).toEqual({ data: [], total: 0 });
});

test.each([
  ["über uns.md", "ÜBER"],
  ["ÜBERSICHT.md", "übersicht"],
  ["Äpfel und Öl.md", "äpfel UND öl"],
  ["Résumé.md".normalize("NFD"), "résumé"],
  ["Résumé.md", "RÉSUMÉ".normalize("NFD")],
  ["Отчёт за год.docx", "отчёт"],
])("%s is found by %s", async (path, part) => {
  const where = (text: string) => isInColumns(["value"], text);
  const matches = async (text: string) =>
    await hasRows(openDatabase(env.DB))`select 1 from json_each(${[path]}) where ${where(text)}`;
  expect(await matches(part)).toBe(true);
  expect(await matches(`${part}ü`)).toBe(false);
});
