import { LEAVE } from "../documents.ts";
import { assert, assertIs, isInvalid, keysOf, ok, section, type Rule } from "../rule.ts";
import type { World } from "../world.ts";

type Item = { identifier: string };
type Retrieved = { chunks: { text: string; score: number; source: { filePath: string } }[] };
type File = Record<string, unknown> & { filePath: string };

const list = section("GET /api/rags", {
  "lists the permitted RAGs, by identifier": async (world) => {
    const identifiers = ok<Item[]>(await world.get("/api/rags")).map(
      ({ identifier }) => identifier,
    );
    const mine = [world.brittleRag, world.rag, world.scopedRag, world.otherRag];
    assert.deepEqual(identifiers, mine.toSorted());
  },
  "filters out all others silently": async (world) => {
    const items = ok<Item[]>(await world.get("/api/rags", world.limited));
    assert.deepEqual(
      items.map(({ identifier }) => identifier),
      [world.otherRag],
    );
    assertIs(await world.get("/api/rags", world.none), 200, []);
  },
});

const retrieving = async (world: World, body: object, rag = world.rag) => {
  const request = { semanticSearch: ["paid leave"], includeSources: true, ...body };
  return ok<Retrieved>(await world.post(`/api/rags/${rag}/retrieve`, request)).chunks;
};
const retrieveWith = async (world: World, body: object) =>
  await world.post(`/api/rags/${world.rag}/retrieve`, { semanticSearch: ["leave"], ...body });
const pathsOf = (chunks: Retrieved["chunks"]) => chunks.map(({ source }) => source.filePath).sort();

const retrieve = section("POST /api/rags/{identifier}/retrieve", {
  "semanticSearch is required": async (world) => {
    const path = `/api/rags/${world.rag}/retrieve`;
    isInvalid(await world.post(path, {}), "semanticSearch is required");
    isInvalid(await world.post(path, { semanticSearch: [] }), "semanticSearch is required");
  },
  "semanticSearch holds 1 to 10 queries": async (world) => {
    const queries = Array.from({ length: 10 }, (_, at) => `query ${at}`);
    ok(await retrieveWith(world, { semanticSearch: queries }));
    const eleven = await retrieveWith(world, { semanticSearch: [...queries, "one more"] });
    isInvalid(eleven, "semanticSearch must have at most 10 items");
  },
  "a blank query is 400; one of any length and any characters is not": async (world) => {
    const blank = await retrieveWith(world, { semanticSearch: ["leave", " \t\n"] });
    isInvalid(blank, "semanticSearch[1] must not be blank");
    const odd = ['" OR NEAR( * ^ {a: b}', "ﬁ\u0000\ud800 '; --", "🐝".repeat(5_000)];
    const long = ["leave ".repeat(80_000), "x".repeat(500_000)];
    for (const semanticSearch of [odd, long]) {
      assert.deepEqual(keysOf(ok(await retrieveWith(world, { semanticSearch }))), ["chunks"]);
    }
  },
  "topK is 1 to 100, 5 by default": async (world) => {
    isInvalid(await retrieveWith(world, { topK: 0 }), "topK must be at least 1");
    isInvalid(await retrieveWith(world, { topK: 101 }), "topK must be at most 100");
    isInvalid(await retrieveWith(world, { topK: 1.5 }), "topK must be an integer");
    isInvalid(await retrieveWith(world, { topK: "5" }), "topK must be a number");
    const query = ["leave travel receipts guidebook compost contract trains walks"];
    assert.equal((await retrieving(world, { semanticSearch: query })).length, 5);
    assert.equal((await retrieving(world, { semanticSearch: query, topK: 2 })).length, 2);
  },
  "useReranking is a boolean": async (world) => {
    isInvalid(await retrieveWith(world, { useReranking: "yes" }), "useReranking must be a boolean");
    const chunks = await retrieving(world, { useReranking: true });
    assert.ok(chunks[0]?.text.includes(LEAVE));
  },
  "useReranking on a RAG without a reranker is ignored, and is no degradation": async (world) => {
    const request = { semanticSearch: ["apples"], useReranking: true };
    const answer = await world.post(`/api/rags/${world.otherRag}/retrieve`, request);
    assert.deepEqual(keysOf(ok(answer)), ["chunks"]);
    assert.equal(answer.headers.get("X-Ignored-Fields"), "useReranking");
    const reranked = await world.post(`/api/rags/${world.rag}/retrieve`, request);
    assert.equal(reranked.headers.get("X-Ignored-Fields"), null);
  },
  "reranking changes no score": async (world) => {
    const scores = async (useReranking: boolean) =>
      new Map(
        (await retrieving(world, { useReranking, topK: 100 })).map(({ text, score }) => [
          text,
          score,
        ]),
      );
    const plain = await scores(false);
    for (const [text, score] of await scores(true)) assert.equal(plain.get(text) ?? score, score);
  },
  "candidateMultiplier is 2 to 10": async (world) => {
    const field = "candidateMultiplier";
    isInvalid(await retrieveWith(world, { [field]: 1 }), `${field} must be at least 2`);
    isInvalid(await retrieveWith(world, { [field]: 11 }), `${field} must be at most 10`);
    ok(await retrieveWith(world, { [field]: 10 }));
  },
  "similarityThreshold is 0 to 1 and drops chunks below it": async (world) => {
    const field = "similarityThreshold";
    isInvalid(await retrieveWith(world, { [field]: -0.1 }), `${field} must be at least 0`);
    isInvalid(await retrieveWith(world, { [field]: 1.1 }), `${field} must be at most 1`);
    const all = await retrieving(world, { topK: 100 });
    const cut = all[0]?.score ?? 0;
    const above = await retrieving(world, { topK: 100, [field]: cut });
    assert.ok(above.length > 0 && above.length <= all.length);
    assert.ok(above.every(({ score }) => score >= cut));
    assert.deepEqual(await retrieving(world, { [field]: 1, semanticSearch: ["moor"] }), []);
  },
  "includeDuplicates includes chunks that repeat another's text": async (world) => {
    const repeats = async (includeDuplicates: boolean) =>
      pathsOf(await retrieving(world, { includeDuplicates, topK: 100 })).filter(
        (path) => path === "guide/leave.md" || path === "notes/copy.md",
      );
    assert.deepEqual(await repeats(true), ["guide/leave.md", "notes/copy.md"]);
    assert.equal((await repeats(false)).length, 1);
  },
  "useAllFiles false restricts to selectedFiles and selectedFolders": async (world) => {
    const request = {
      useAllFiles: false,
      topK: 100,
      selectedFiles: ["notes/labelled.md"],
      selectedFolders: ["guide/deep"],
    };
    assert.deepEqual(pathsOf(await retrieving(world, request)), [
      "guide/deep/receipts.md",
      "notes/labelled.md",
    ]);
  },
  "a folder is named with or without the slash, and holds what is beneath it": async (world) => {
    for (const folder of ["guide", "guide/"]) {
      const request = { useAllFiles: false, topK: 100, selectedFolders: [folder] };
      assert.deepEqual(pathsOf(await retrieving(world, request)), [
        "guide/deep/receipts.md",
        "guide/leave.md",
        "guide/travel.md",
      ]);
    }
  },
  "under a restriction the first eligible duplicate stands in": async (world) => {
    const request = { useAllFiles: false, selectedFiles: ["notes/copy.md"] };
    assert.deepEqual(pathsOf(await retrieving(world, request)), ["notes/copy.md"]);
  },
  "useAllFiles false that names nothing finds nothing; true ignores both lists": async (world) => {
    assert.deepEqual(await retrieving(world, { useAllFiles: false }), []);
    const ignored = await retrieving(world, { selectedFiles: ["nowhere.md"] });
    assert.ok(ignored[0]?.text.includes(LEAVE));
  },
  "an empty folder names nothing; a leading slash is refused": async (world) => {
    assert.deepEqual(
      await retrieving(world, { useAllFiles: false, selectedFolders: [""], topK: 100 }),
      [],
    );
    const request = { selectedFiles: ["/guide/leave.md"], selectedFolders: ["guide", "/"] };
    const problem = "must be relative, without a leading /";
    isInvalid(
      await retrieveWith(world, { ...request, useAllFiles: false }),
      `selectedFiles[0] ${problem}; selectedFolders[1] ${problem}`,
    );
    // Nothing is selected, so that nothing of it is looked at.
    ok(await retrieveWith(world, { ...request, useAllFiles: true }));
  },
  "at most 10,000 files and folders are selected": async (world) => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);
    ok(await retrieveWith(world, { selectedFiles: names(6_000), selectedFolders: names(4_000) }));
    isInvalid(
      await retrieveWith(world, { selectedFiles: names(6_000), selectedFolders: names(4_001) }),
      "selectedFiles and selectedFolders must have at most 10000 entries together",
    );
    isInvalid(
      await retrieveWith(world, { selectedFiles: Array.from({ length: 300_000 }, () => 1) }),
      "body must have at most 20000 entries in all its lists",
    );
  },
  "selectedFiles and selectedFolders are flat lists of strings": async (world) => {
    const grouped = [{ ragIdentifier: world.rag, files: ["a"] }];
    const answer = await retrieveWith(world, { selectedFiles: grouped, selectedFolders: "guide" });
    isInvalid(answer, "selectedFiles[0] must be a string; selectedFolders must be an array");
  },
  "each query is searched and a chunk is given once": async (world) => {
    const chunks = await retrieving(world, {
      semanticSearch: ["peat-free compost", "trains", "peat-free compost"],
      topK: 100,
    });
    const paths = pathsOf(chunks);
    assert.equal(new Set(paths).size, paths.length);
    assert.ok(paths.includes("notes/labelled.md") && paths.includes("guide/travel.md"));
  },
  "answers with chunks and nothing else": async (world) => {
    assert.deepEqual(keysOf(ok(await retrieveWith(world, {}))), ["chunks"]);
  },
});

const filesOf = (world: World, query: string) => `/api/rags/${world.rag}/files${query}`;
const page = async (world: World, query: string) =>
  ok<{ data: File[]; total: number; page: number; limit: number }>(
    await world.get(filesOf(world, query)),
  );
const ALL = [
  "guide/deep/receipts.md",
  "guide/leave.md",
  "guide/travel.md",
  "guidebook.md",
  "notes/copy.md",
  "notes/empty.md",
  "notes/labelled.md",
];

const files = section("GET /api/rags/{identifier}/files", {
  "with page: data, total, page and limit, in order of path": async (world) => {
    const first = await page(world, "?page=1&limit=3");
    assert.deepEqual(keysOf(first), ["data", "limit", "page", "total"]);
    assert.deepEqual([first.total, first.page, first.limit], [7, 1, 3]);
    const third = await page(world, "?page=3&limit=3");
    const second = await page(world, "?page=2&limit=3");
    const all = [first, second, third].flatMap(({ data }) => data);
    assert.deepEqual(
      all.map(({ filePath }) => filePath),
      ALL,
    );
  },
  "a page past the end is empty": async (world) => {
    assert.deepEqual(await page(world, "?page=99"), { data: [], total: 7, page: 99, limit: 20 });
  },
  "without page: the complete array, and limit is ignored": async (world) => {
    for (const query of ["", "?limit=2", "?limit=none"]) {
      const files = ok<File[]>(await world.get(filesOf(world, query)));
      assert.deepEqual(
        files.map(({ filePath }) => filePath),
        ALL,
      );
    }
  },
  "limit is 1 to 100, 20 by default; page is at least 1": async (world) => {
    assert.equal((await page(world, "?page=1")).limit, 20);
    assert.equal((await page(world, "?page=1&limit=100")).limit, 100);
    const invalid = async (query: string, problems: string) =>
      isInvalid(await world.get(filesOf(world, query)), problems);
    await invalid("?page=1&limit=0", "limit must be an integer from 1 to 100");
    await invalid("?page=1&limit=101", "limit must be an integer from 1 to 100");
    await invalid("?page=0", "page must be at least 1");
    await invalid("?page=-1", "page must be at least 1");
    await invalid("?page=two", "page must be an integer");
    await invalid("?page=1.5", "page must be an integer");
  },
  "an element is a file entry with its external id": async (world) => {
    const { data } = await page(world, "?page=1&path=notes/&limit=1");
    const { indexedAt, ...file } = data[0] as File;
    assert.match(String(indexedAt), /Z$/);
    assert.deepEqual(file, {
      filePath: "notes/copy.md",
      name: "copy.md",
      status: "indexed",
      size: 87,
      mimeType: "text/markdown",
      errorMessage: null,
      externalId: null,
    });
  },
  "the filters status and path": async (world) => {
    const failed = await page(world, "?page=1&status=error");
    assert.deepEqual([failed.total, failed.data[0]?.filePath], [1, "notes/empty.md"]);
    for (const path of ["guide", "guide/"]) {
      const below = await page(world, `?page=1&path=${path}&limit=2`);
      assert.deepEqual([below.total, below.data.length], [3, 2]);
    }
    const filePage = await page(world, "?page=1&path=notes/copy.md");
    assert.deepEqual([filePage.total, filePage.data[0]?.filePath], [1, "notes/copy.md"]);
    const whole = ok<File[]>(await world.get(filesOf(world, "?path=notes&status=indexed")));
    assert.deepEqual(
      whole.map(({ filePath }) => filePath),
      ["notes/copy.md", "notes/labelled.md"],
    );
    const wrong = await world.get(filesOf(world, "?page=1&status=done"));
    isInvalid(wrong, "status must be one of pending, processing, indexed, error, deleted");
  },
});

export const rags: Rule[] = [...list, ...retrieve, ...files];
