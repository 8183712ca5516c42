import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import type { FileCondition, MetadataFilter } from "../../../src/ports/file-condition.ts";
import type { LegScores, Restriction } from "../../../src/ports/rag-index.ts";
import { IndexStore } from "../../../src/rag-index/index-store.ts";
import { countStatements, factsOf, indexOf, write, requestFor, search, stubOf } from "./support.ts";

const LONG = "a-folder-whose-name-alone-is-longer-than-fifty-bytes-äöü-for-sure";
const ODD = '50%/a_b/it\'s "quoted"\\.md';
const PATHS = [
  `${LONG}/${LONG}/one.md`,
  `${LONG}/${LONG}x/two.md`,
  `${LONG}.md`,
  ODD,
  "50x/axb/plain.md",
  "Case/file.md",
  "case/file.md",
  "日本/東京.md",
  "top.md",
];

async function filled(name: string) {
  const index = indexOf(name);
  // Numbered, because texts that differ in case alone are duplicates.
  for (const [at, path] of PATHS.entries()) await write(index, path, 1, [`stone ${at}`]);
  return index;
}

const pathsOf = (places: string[]) => places.map((place) => place.replace(/: stone.*/, "")).sort();

/** The paths that both legs find within a restriction. */
async function pathsWithin(index: ReturnType<typeof indexOf>, more: Partial<Restriction>) {
  const restriction = { named: null, metadata: [], ...more };
  const result = await search(index, "stone", { restriction });
  expect(await index.planRestriction(restriction)).toBe("exact");
  expect(pathsOf(result.vectorPlaces)).toEqual(pathsOf(result.lexicalPlaces));
  return pathsOf(result.vectorPlaces);
}

/** An index of files with this metadata. */
async function described(name: string, files: Record<string, Record<string, unknown>>) {
  const index = indexOf(name);
  for (const [path, metadata] of Object.entries(files)) {
    await write(index, factsOf(path, { metadata }), 1, [`stone in ${path}`]);
  }
  return { index, within: async (more: Partial<Restriction>) => await pathsWithin(index, more) };
}

test("files and folders are named exactly, whatever their characters", async () => {
  const index = await filled("named");
  const within = async (files: string[], folders: string[]) =>
    await pathsWithin(index, { named: { files, folders } });
  expect(await within([], [])).toEqual([]);
  expect(await within([], [LONG])).toEqual([PATHS[0], PATHS[1]]);
  expect(await within([], [`${LONG}/${LONG}/`])).toEqual([PATHS[0]]);
  expect(await within([], ["50%/a_b"])).toEqual([ODD]);
  expect(await within([], ["50%", "case", "日本/"])).toEqual(
    [ODD, "case/file.md", "日本/東京.md"].sort(),
  );
  expect(await within([ODD], [])).toEqual([ODD]);
  expect(await within(["top.md", "case/file.md", "none.md", "case"], [])).toEqual(
    ["case/file.md", "top.md"].sort(),
  );
  expect(await within([], ["/"])).toEqual(PATHS.toSorted());
  expect(await within([], ["' OR 1=1 --", "%", "_", "top.md"])).toEqual([]);
});

test("an external id names a file; thousands of names are no trouble", async () => {
  const index = indexOf("external");
  await write(index, factsOf("a.md", { externalId: "drive-1" }), 1, ["stone a"]);
  await write(index, factsOf("b.md", { externalId: "drive-2" }), 1, ["stone b"]);
  const files = [...Array.from({ length: 5_000 }, (_, at) => `other-${at}`), "drive-2"];
  const restriction = { named: { files, folders: [] }, metadata: [] };
  expect((await search(index, "stone", { restriction })).vector).toEqual(["stone b"]);
});

test("the cut to the limit comes after the restriction", async () => {
  const index = indexOf("cut");
  for (let at = 0; at < 60; at++) await write(index, `many/${at}.md`, 1, [`stone stone ${at}`]);
  await write(index, "few/one.md", 1, ["a stone among very many other words that mean nothing"]);
  const restriction = { named: { files: [], folders: ["few"] }, metadata: [] };
  const result = await search(index, "stone", { restriction, limitPerLeg: 5 });
  expect(result.lexicalPlaces).toHaveLength(1);
  expect(result.vectorPlaces).toHaveLength(1);
});

test("metadata filters are ANDed, values ORed; lists match on a shared value", async () => {
  const { index, within } = await described("metadata", {
    a: { labels: ["contract", "2026"], owner: "ann", 'odd "key"': true, size: 3 },
    b: { labels: ["invoice"], owner: "ann", nested: { owner: "bob" }, none: null },
    c: { labels: "contract", owner: "bob" },
  });
  const matching = async (...metadata: MetadataFilter[]) => (await within({ metadata })).join("");
  expect(await matching({ field: "labels", values: ["contract"] })).toBe("ac");
  expect(await matching({ field: "labels", values: ["2026", "invoice"] })).toBe("ab");
  const contract = { field: "labels", values: ["contract"] };
  expect(await matching(contract, { field: "owner", values: ["bob"] })).toBe("c");
  expect(await matching({ field: 'odd "key"', values: ["true"] })).toBe("a");
  expect(await matching({ field: "size", values: ["3"] })).toBe("a");
  expect(await matching({ field: "owner", values: [] })).toBe("");
  expect(await matching({ field: "none", values: ["null"] })).toBe("");
  await index.describeFile(factsOf("c", { metadata: { labels: "draft" } }), 2);
  expect(await matching(contract)).toBe("a");
});

test("metadata matches whether its letters are composed or not", async () => {
  const [composed, decomposed] = ["café", "cafe\u0301"];
  const { within } = await described("composed", {
    a: { place: composed },
    b: { place: decomposed },
  });
  for (const text of [composed, decomposed]) {
    expect(await within({ metadata: [{ field: "place", values: [text] }] })).toEqual(["a", "b"]);
    const compare = { of: { field: "place" }, test: "ends", text } as const;
    expect(await within({ condition: { compare } })).toEqual(["a", "b"]);
  }
});

test("a condition combines paths, folders and metadata with and, or and not", async () => {
  const { index, within } = await described("condition", {
    "x/a": { labels: ["contract", "2026"] },
    "x/y/b": { labels: ["invoice"] },
    "z/c": {},
  });
  const matching = async (condition: FileCondition) => await within({ condition });
  const contract: FileCondition = { metadata: { field: "labels", values: ["contract"] } };
  expect(await matching({ not: contract })).toEqual(["x/y/b", "z/c"]);
  expect(await matching({ any: [contract, { paths: ["z/c", "none"] }] })).toEqual(["x/a", "z/c"]);
  expect(await matching({ all: [{ folder: "x/" }, { not: contract }] })).toEqual(["x/y/b"]);
  expect(await matching({ all: [{ folder: "x" }, { paths: ["z/c"] }] })).toEqual([]);
  expect(await matching({ any: [] })).toEqual([]);
  expect(await matching({ all: [] })).toEqual(["x/a", "x/y/b", "z/c"]);
  await index.restrictToScopes([{ type: "path", value: "z/" }]);
  expect(await matching({ not: contract })).toEqual(["z/c"]);
});

test("a condition compares texts, numbers and times; what is neither passes none", async () => {
  const { within } = await described("comparisons", {
    "x/a": { size: 3, day: "2026-03-01", title: "50% off_" },
    "x/b": { size: [10, 20], day: "2026-03-01T12:30:00Z", title: "" },
    "y/c": { size: "many", day: "soon" },
  });
  const matching = async (subject: "path" | { field: string }, ...tests: object[]) => {
    const conditions = tests.map(
      (test) => ({ compare: { of: subject, ...test } }) as FileCondition,
    );
    const searches = conditions.map(async (condition) => (await within({ condition })).join(" "));
    return await Promise.all(searches);
  };
  const order = (relation: string, value: number, kind = "number") => {
    return { test: "order", kind, relation, value };
  };
  const size = { field: "size" };
  expect(
    await matching(size, order(">", 3), order(">=", 3), order("<", 20), order("<=", 1)),
  ).toEqual(["x/b", "x/a x/b", "x/a x/b", ""]);
  const noon = Date.parse("2026-03-01T12:00:00Z");
  expect(
    await matching({ field: "day" }, order("<", noon, "time"), order(">", noon, "time")),
  ).toEqual(["x/a", "x/b"]);
  const reads = (test: string, text: string) => ({ test, text });
  expect(
    await matching("path", reads("starts", "x/"), reads("ends", "/c"), reads("contains", "%")),
  ).toEqual(["x/a x/b", "y/c", ""]);
  const title = { field: "title" };
  expect(await matching(title, { test: "present" }, reads("contains", "f_"))).toEqual([
    "x/a",
    "x/a",
  ]);
});

test("files outside the scopes are hidden at once, also those activated later", async () => {
  const index = await filled("scopes");
  const drive = { externalId: "doc-1", metadata: { ancestors: ["folder-9", "folder-1"] } };
  await write(index, factsOf("drive.md", drive), 1, ["stone in drive.md"]);
  const visiblePaths = async () =>
    pathsOf((await search(index, "stone", { limitPerLeg: 50 })).vectorPlaces);
  await index.restrictToScopes([
    { type: "path", value: "50%/" },
    { type: "path", value: "top.md" },
    { type: "path", value: "case" },
  ]);
  expect(await visiblePaths()).toEqual([ODD, "top.md"].sort());
  await write(index, "50%/new.md", 1, ["stone in 50%/new.md"]);
  await write(index, "out/new.md", 1, ["stone in out/new.md"]);
  await write(index, "top.md", 2, ["stone in top.md again"]);
  expect(await visiblePaths()).toEqual([ODD, "50%/new.md", "top.md"].sort());
  await index.describeFile(factsOf("out.md", { fileId: factsOf("top.md").fileId }), 3);
  expect(await visiblePaths()).toEqual([ODD, "50%/new.md"].sort());
  for (const value of ["folder-1", "folder-9", "doc-1"]) {
    await index.restrictToScopes([{ type: "externalId", value }]);
    expect(await visiblePaths()).toEqual(["drive.md"]);
  }
  await index.restrictToScopes([]);
  expect(await visiblePaths()).toEqual([]);
  expect(await index.facts()).toMatchObject({ files: 12 });
  await index.restrictToScopes(null);
  expect(await visiblePaths()).toHaveLength(12);
});

test("what a vector index names is shown only where the call may see it", async () => {
  const index = await filled("named-outside");
  const { hydrated } = await search(index, "stone");
  const matches = hydrated.map(({ id }) => ({ id, score: 0.5 }));
  const restriction = { named: { files: ["top.md"], folders: [] }, metadata: [] };
  const nearest = { matches, floor: null };
  const wish = { nearest, lexical: false, restriction };
  const { chunks, scanned } = await index.search(requestFor("stone", wish));
  expect(chunks.map(({ file }) => file.path)).toEqual(["top.md"]);
  expect([chunks[0]?.scores, scanned]).toEqual([[{ lexical: null, vector: 0.5 }], false]);
  const none = await index.search(requestFor("stone", { ...wish, nearest: NOTHING_NEAR }));
  expect(none.chunks).toEqual([]);
});

const NOTHING_NEAR = { matches: [], floor: null };

const CONFIDENTIAL = "All stones stay confidential.";

test("equal passages cost a filtered search nothing, and the first eligible is shown", async () => {
  const index = indexOf("footers");
  const noteFacts = { metadata: { kind: "note" } };
  const statements: number[] = [];
  let files = 0;
  for (const upTo of [20, 120]) {
    for (; files < upTo; files++) {
      const path = `${files}.md`;
      const facts = files % 2 === 1 ? factsOf(path, noteFacts) : path;
      await write(index, facts, 1, [`stone ${files}`, CONFIDENTIAL]);
    }
    await runInDurableObject(stubOf("footers"), (_object, { storage }) => {
      const count = countStatements(storage.sql);
      const store = new IndexStore(storage);
      const restriction = { named: null, metadata: [{ field: "kind", values: ["note"] }] };
      const request = requestFor("stones confidential", { restriction });
      store.call("search", request);
      count.texts.length = 0;
      const { chunks, queries } = store.call("search", request);
      statements.push(count.texts.length);
      const best = (leg: keyof LegScores) =>
        chunks.filter(({ scores }) => scores[0]?.[leg] === queries[0]?.[leg][0]);
      for (const [chunk, ...rest] of [best("lexical"), best("vector")]) {
        expect([chunk?.file.path, chunk?.text, rest]).toEqual(["1.md", CONFIDENTIAL, []]);
      }
    });
  }
  // Further pages of equal words are a few more.
  expect(Math.max(...statements)).toBeLessThan(10);
});
