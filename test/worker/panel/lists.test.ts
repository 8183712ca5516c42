import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";

const admin = new Browser();

const numbers = (count: number) => `(with recursive n(i) as (select 1 union all select i + 1 from n
  limit ${count}) select i, printf('%03d', i) as no from n)`;

/** The names of a list's rows, whole, in the order in which they are shown. */
const namesShown = () =>
  [...admin.html.matchAll(/<td class="main"[^>]*>.*?title="([^"]*)"/gs)].map(
    ([, name = ""]) => name,
  );
const hrefOf = (words: string) =>
  new RegExp(`href="([^"]*)">${words}<`).exec(admin.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
const countLine = () => /class="faint">(\d[^<]*(?:file|RAG|source)[^<]*)</.exec(admin.html)?.[1];

beforeAll(async () => {
  await admin.signIn();
});

test.each([
  ["/panel/sources", "There are no sources yet.", "/panel/new/source"],
  ["/panel/rags", "There are no RAGs yet.", "/panel/new/rag"],
  ["/panel/tokens", "There are no tokens yet.", "/panel/tokens/new"],
])("the empty list %s offers one thing to do", async (path, title, to) => {
  await admin.open(path);
  const [, empty = ""] = /class="empty">(.*?)<\/div>/s.exec(admin.html) ?? [];
  expect(empty).toContain(title);
  expect([...empty.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([to]);
});

test("lists are counted, turned over, sorted by a column and searched by any part", async () => {
  await env.DB.batch(
    [
      `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash,
         created_at) values ('s', 'Docs', 'docs', 'file_system', '{}', '', 0)`,
      `insert into rags (id, name, identifier, file_source_id, scope_mode, created_at)
       select 'r' || no, case i % 2 when 0 then 'Name ' else 'name ' end || (61 - i), 'rag-' || no, 's', 'scoped', 0 from ${numbers(60)}`,
      `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
         chunk_size, chunk_overlap, format, created_at, number_vectors)
       select id, 1, 'live', 'embedded/hash', 8, 400, 60, 1, 0, 7 from rags`,
      `insert into files (id, file_source_id, path, name, size, mime_type, version, metadata,
         created_at)
       select 'f' || no, 's', 'deep/' || no || '.md', no, 1, 'text/plain', '1', '{}', 0
       from ${numbers(120)}`,
      `insert into tokens (id, name, hash, created_at)
       select 't' || no, 'Token ' || (i % 3) || no, no, 0 from ${numbers(3)}`,
    ].map((sql) => env.DB.prepare(sql)),
  );
  await admin.open("/panel/rags");
  // As people sort: by number, whatever the case.
  expect(namesShown().slice(0, 11).join()).toMatch(/^Name 1,name 2,Name 3,.*,name 10,Name 11$/);
  expect(countLine()).toBe("1–50 of 60 RAGs, page 1 of 2");
  await admin.open(hrefOf("Next"));
  expect([namesShown()[0], countLine()]).toEqual(["Name 51", "51–60 of 60 RAGs, page 2 of 2"]);
  await admin.open(hrefOf("Previous"));
  expect(namesShown()[49]).toBe("name 50");
  await admin.open(hrefOf("Name"));
  expect(admin.html).toMatch(/aria-sort="descending"><a [^>]*>Name/);
  expect([namesShown()[0], countLine()]).toEqual(["name 60", "1–50 of 60 RAGs, page 1 of 2"]);
  // Rows that are equal in the column are turned over by what tells them apart.
  await admin.open(hrefOf("Passages"));
  const first = namesShown();
  await admin.open(hrefOf("Next"));
  expect(new Set([...first, ...namesShown()]).size).toBe(60);
  await admin.open("/panel/rags?q=AG-00");
  expect([namesShown().length, countLine()]).toEqual([9, "9 RAGs"]);

  await admin.open("/panel/tokens?sort=-name");
  expect(namesShown()).toEqual(["Token 2002", "Token 1001", "Token 0003"]);
  await admin.open("/panel/sources?q=oc&sort=next");
  expect([namesShown(), countLine()]).toEqual([["Docs"], "1 source"]);

  await admin.open("/panel/sources/docs?sort=-path");
  expect([namesShown()[0], countLine()]).toEqual(["deep/120.md", "1–50 of 120 files, page 1 of 3"]);
  await admin.open(hrefOf("Next"));
  await admin.open(hrefOf("Next"));
  expect([namesShown().at(-1), countLine()]).toEqual([
    "deep/001.md",
    "101–120 of 120 files, page 3 of 3",
  ]);
  await admin.open(hrefOf("Previous"));
  expect([namesShown()[0], countLine()]).toEqual([
    "deep/070.md",
    "51–100 of 120 files, page 2 of 3",
  ]);
});

test("files are sorted by size and by status, page by page", async () => {
  const pages = async (path: string) => {
    const names: (string | undefined)[] = [];
    for (let next = path; next !== ""; next = hrefOf("Next")) {
      await admin.open(next);
      names.push(...namesShown());
    }
    return names;
  };
  await env.DB.batch(
    [
      "update files set size = 1000 - cast(name as integer)",
      `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash,
         created_at) values ('sorted', 'Sorted', 'sorted', 'file_system', '{}', '', 0)`,
      `insert into rags (id, name, identifier, file_source_id, created_at)
       values ('whole', 'Whole', 'whole', 'sorted', 0)`,
      `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
         chunk_size, chunk_overlap, format, created_at)
       values ('whole', 1, 'live', 'embedded/hash', 8, 400, 60, 1, 0)`,
      `insert into files (id, file_source_id, path, name, size, mime_type, version, metadata,
         created_at)
       select 'x' || no, 'sorted', no || '.md', no, i, 'text/plain', '1', '{}', 0
       from ${numbers(130)}`,
      `insert into rag_files (rag_id, generation, file_id, path, status, revision)
       select 'whole', 1, id, path, case size % 3 when 0 then 'error' else 'indexed' end, 1
       from files where file_source_id = 'sorted'`,
    ].map((sql) => env.DB.prepare(sql)),
  );
  const bySize = await pages("/panel/sources/docs?sort=size");
  expect([bySize[0], bySize.at(-1), bySize.length]).toEqual(["deep/120.md", "deep/001.md", 120]);
  expect(await pages("/panel/sources/docs?sort=-size")).toEqual(bySize.toReversed());

  const byStatus = await pages("/panel/sources/sorted?sort=status");
  expect(byStatus.slice(0, 2)).toEqual(["003.md", "006.md"]);
  expect(byStatus.slice(43, 45)).toEqual(["001.md", "002.md"]);
  expect(new Set(byStatus).size).toBe(130);
  expect(await pages("/panel/sources/sorted?sort=-status")).toEqual(byStatus.toReversed());
  await admin.open("/panel/sources/sorted?sort=status");
  await admin.open(hrefOf("Next"));
  await admin.open(hrefOf("Previous"));
  expect(namesShown()).toEqual(byStatus.slice(0, 50));
  // A filtered list, and one over several indexes, is in order of path.
  await admin.open("/panel/sources/sorted?status=indexed&sort=-size");
  expect(namesShown()[0]).toBe("001.md");
  await admin.open("/panel/sources/docs");
  expect(hrefOf("Status")).toBe("");
});

test("files are indexed again, whether or not they failed", async () => {
  const sorted = "/panel/sources/sorted";
  await admin.open(sorted);
  expect(admin.html).toContain("Index again");
  await admin.post(`${sorted}/selected`, { action: "reindex", path: ["001.md", "003.md"] });
  expect(admin.html).toContain("2 files are being indexed again.");
  await admin.post(`${sorted}/selected`, { action: "reindex", path: "none.md" });
  expect(admin.html).toContain("None of the selected files was indexed");
});

test("what can be done with a row is in a menu that needs no script", async () => {
  await admin.open("/panel/sources/docs");
  const [, menu = ""] = /<details class="menu"(.*?)<\/details>/s.exec(admin.html) ?? [];
  expect(menu).toContain('aria-label="Actions for deep/001.md"');
  await admin.open(/href="([^"]*remove[^"]*)"/.exec(menu)?.[1] ?? "");
  expect(admin.html).toContain("Deletes ");
});

test("selected files are tried again, or removed after a question with their number", async () => {
  const many = "/panel/sources/docs";
  await env.DB.batch(
    [
      `insert into rag_files (rag_id, generation, file_id, path, status, revision, error_message)
       select 'r001', 1, id, path, case id when 'f009' then 'indexed' else 'error' end, 1, '=1+1'
       from files where id < 'f010'`,
    ].map((sql) => env.DB.prepare(sql)),
  );
  await admin.open(`${many}?status=error`);
  const ticked = [...admin.html.matchAll(/type="checkbox" name="path" value="([^"]*)"/g)];
  const path = ticked.map(([, value = ""]) => value);
  expect(path).toHaveLength(8);

  await admin.open(`${many}/files.csv?status=error`);
  const lines = admin.html.split("\r\n");
  expect(lines).toHaveLength(10);
  expect(lines[1]).toBe('"deep/001.md","error","999","text/plain","","\'=1+1"');

  expect((await admin.post(`${many}/selected`, { action: "retry" })).location).toBe(many);
  expect(admin.html).toContain("No files were selected.");
  await admin.post(`${many}/selected`, { action: "retry", path: path.slice(0, 3) });
  expect(admin.html).toContain("3 files are being tried again.");
  await admin.post(`${many}/selected`, { action: "retry", path: "deep/009.md" });
  expect(admin.html).toContain("None of the selected files had failed.");

  await admin.post(`${many}/selected`, { action: "remove", path });
  expect(admin.html).toContain("Remove 8 files");
  const confirmed = [...admin.html.matchAll(/type="hidden" name="path" value="([^"]*)"/g)];
  expect(confirmed.map(([, value]) => value)).toEqual(path);
  const paths = [...path, "deep/none.md"];
  await admin.post(`${many}/selected`, { action: "confirmed", path: paths });
  expect(admin.html).toMatch(/8 files removed, 1 not: deep\/none\.md: /);
  await admin.open(`${many}?status=error`);
  expect(admin.html).toContain("No matches.");
});
