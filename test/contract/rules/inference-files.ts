import { assert, assertIs, isInvalid, keysOf, ok, section, type Rule } from "../rule.ts";
import type { World } from "../world.ts";

type Group = { ragIdentifier: string; ragName: string; files: { filePath: string }[] };
type Page = { data: Group[]; total: number; page: number; limit: number };

const pageOf = async (world: World, query: string) =>
  ok<Page>(await world.get(`/api/inferences/${world.inference}/files${query}`));

const files = section("GET /api/inferences/{identifier}/files", {
  "page is required; limit is 1 to 100, 20 by default": async (world) => {
    const path = `/api/inferences/${world.inference}/files`;
    isInvalid(await world.get(path), "page is required");
    isInvalid(await world.get(`${path}?page=1&limit=101`), "limit must be at most 100");
    isInvalid(
      await world.get(`${path}?page=0&limit=none`),
      "page must be at least 1; limit must be an integer",
    );
    assert.equal((await pageOf(world, "?page=1")).limit, 20);
  },
  "groups by RAG; total counts files; one RAG is split across pages": async (world) => {
    const pages = await Promise.all(
      [1, 2, 3].map(async (page) => await pageOf(world, `?page=${page}&limit=4`)),
    );
    assert.deepEqual(
      pages.map(({ total, page, limit, data }) => [
        total,
        page,
        limit,
        ...data.map(({ ragIdentifier, files }) => [ragIdentifier, files.length]),
      ]),
      [
        [10, 1, 4, [world.rag, 4]],
        [10, 2, 4, [world.rag, 3], [world.otherRag, 1]],
        [10, 3, 4, [world.otherRag, 2]],
      ],
    );
    const paths = pages.flatMap(({ data }) => data.flatMap(({ files }) => files));
    assert.equal(new Set(paths.map(({ filePath }) => filePath)).size, 10);
    assert.deepEqual(keysOf(pages[0]?.data[0]), ["files", "ragIdentifier", "ragName"]);
  },
  "an entry has exactly the fields of the table": async (world) => {
    const { data } = await pageOf(world, "?page=1");
    assert.deepEqual(keysOf(data[0]?.files[0]), [
      "errorMessage",
      "filePath",
      "indexedAt",
      "mimeType",
      "name",
      "size",
      "status",
    ]);
  },
  "ragIdentifier restricts to one RAG": async (world) => {
    const page = await pageOf(world, `?page=1&ragIdentifier=${world.otherRag}`);
    assert.deepEqual(
      [page.total, page.data.map(({ ragIdentifier }) => ragIdentifier)],
      [3, [world.otherRag]],
    );
    const notLinked = await pageOf(world, `?page=1&ragIdentifier=${world.scopedRag}`);
    assert.deepEqual([notLinked.total, notLinked.data], [0, []]);
  },
  "RAGs linked without native RAG are listed too": async (world) => {
    const answer = ok<Page>(await world.get(`/api/inferences/${world.tools}/files?page=1`));
    assert.equal(answer.total, 7);
  },
});

const fileStatus = section("GET /api/inferences/{identifier}/file-sources/{…}", {
  "answers with exactly the single file status": async (world) => {
    const path = `/api/inferences/${world.inference}/file-sources/${world.source}`;
    const state = ok<Record<string, unknown>>(await world.get(`${path}?file=guide/leave.md`));
    const { indexedAt, ...rest } = state;
    assert.match(String(indexedAt), /^\d{4}-.*\.\d{3}Z$/);
    assert.deepEqual(rest, {
      name: "leave.md",
      size: 87,
      status: "indexed",
      errorMessage: null,
    });
    const failed = await world.get(`${path}?file=notes%2Fempty.md`);
    assert.deepEqual(ok(failed), {
      name: "empty.md",
      size: 0,
      status: "error",
      indexedAt: null,
      errorMessage: "no text found",
    });
  },
  "file is required": async (world) => {
    const path = `/api/inferences/${world.inference}/file-sources/${world.source}`;
    isInvalid(await world.get(path), "file is required");
    isInvalid(await world.get(`${path}?file=`), "file is required");
  },
  "an unknown file, and a source that is not behind the inference, are 404": async (world) => {
    const path = `/api/inferences/${world.inference}/file-sources`;
    const notFound = { error: "Not found" };
    assertIs(await world.get(`${path}/${world.source}?file=apples.md`), 404, notFound);
    assertIs(await world.get(`${path}/nowhere?file=apples.md`), 404, notFound);
    assertIs(await world.get(`${path}/nowhere`), 404, notFound);
    const plainPath = `/api/inferences/${world.plain}/file-sources/${world.source}`;
    assertIs(await world.get(`${plainPath}?file=guide/leave.md`), 404, notFound);
  },
});

export const inferenceFiles: Rule[] = [...files, ...fileStatus];
