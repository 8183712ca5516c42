import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { foldForDuplicates } from "../../../src/core/hash.ts";
import type { IndexScope, Restriction } from "../../../src/ports/rag-index.ts";
import { chance, pickAt } from "../../support/dice.ts";
import { factsOf, indexOf, write, search, stubOf } from "./support.ts";

const STEPS = 100;
const PATHS = ["a/1", "a/2", "a/b/3", "c/4", "c/5", "6"];
const WORDS = ["granite", "quartz", "basalt", "slate", "chalk", "Granite"];
const SCOPES: (IndexScope[] | null)[] = [
  null,
  null,
  [{ type: "path", value: "a/" }],
  [
    { type: "path", value: "c/" },
    { type: "path", value: "6" },
  ],
];

/** The expected state: no cleverness, everything computed from the start each time. */
type Model = {
  /** Live versions by path, and the order in which their chunks were first stored. */
  files: Map<string, string[]>;
  order: Map<string, number>;
  revisions: Map<string, number>;
  scopes: IndexScope[] | null;
};

const chunkKey = (path: string, text: string, nth: number) => `${path}|${text}|${nth}`;

function keysOf(path: string, texts: string[]): string[] {
  const occurrences = new Map<string, number>();
  return texts.map((text) => {
    const nth = occurrences.get(text) ?? 0;
    occurrences.set(text, nth + 1);
    return chunkKey(path, text, nth);
  });
}

const isIn = (path: string, scopes: IndexScope[] | null) =>
  scopes === null ||
  scopes.some(({ value }) => (value.endsWith("/") ? path.startsWith(value) : path === value));

function expected({ files, order, scopes }: Model, folder: string | null, word: string) {
  const eligible = [...files]
    .filter(([path]) => isIn(path, scopes) && (folder === null || path.startsWith(`${folder}/`)))
    .flatMap(([path, texts]) =>
      keysOf(path, texts).map((key, at) => ({ key, path, text: texts[at] ?? "" })),
    )
    .sort((x, y) => (order.get(x.key) ?? 0) - (order.get(y.key) ?? 0));
  const folds = new Set<string>();
  const first = eligible.filter(({ text }) => {
    const fold = foldForDuplicates(text);
    return !folds.has(fold) && folds.add(fold);
  });
  const places = (list: typeof first) => list.map(({ path, text }) => `${path}: ${text}`).sort();
  const hits = first.filter(({ text }) => foldForDuplicates(text).split(" ").includes(word));
  return { all: places(first), hits: places(hits) };
}

type Index = ReturnType<typeof indexOf>;

/** Work that comes late must change nothing. */
async function comeLate(index: Index, path: string, revision: number) {
  if (revision < 1) return;
  await write(index, path, revision, ["late granite"]);
  await index.remove([{ fileId: factsOf(path).fileId, revision }]);
}

function forgetOrder(model: Model, path: string, remaining: string[]) {
  for (const key of keysOf(path, model.files.get(path) ?? [])) {
    if (!remaining.includes(key)) model.order.delete(key);
  }
}

async function removeFile(index: Index, model: Model, path: string, revision: number) {
  await index.remove([{ fileId: factsOf(path).fileId, revision }]);
  forgetOrder(model, path, []);
  model.files.delete(path);
}

async function putVersion(index: Index, model: Model, path: string, step: number) {
  const texts = Array.from({ length: chance(step, "chunks", 4) }, (_, at) =>
    [pickAt(WORDS, step, `one ${at}`), pickAt(WORDS, step, `two ${at}`)].join(" "),
  );
  await write(index, path, model.revisions.get(path) ?? 0, texts);
  const after = keysOf(path, texts);
  forgetOrder(model, path, after);
  for (const [at, key] of after.entries()) {
    if (!model.order.has(key)) model.order.set(key, step * WORDS.length + at);
  }
  model.files.set(path, texts);
}

async function change(index: Index, model: Model, step: number) {
  const path = pickAt(PATHS, step, "path");
  const revision = model.revisions.get(path) ?? 0;
  const kind = chance(step, "kind", 10);
  if (kind === 0) {
    model.scopes = pickAt(SCOPES, step, "scopes");
    await index.restrictToScopes(model.scopes);
  } else if (kind === 1) await evictDurableObject(stubOf("random"));
  else if (kind === 2) await comeLate(index, path, revision - 1);
  else {
    model.revisions.set(path, revision + 1);
    if (kind <= 4) await removeFile(index, model, path, revision + 1);
    else await putVersion(index, model, path, step);
  }
}

test("after each of 100 random steps searches show exactly what should be there", async () => {
  const index = indexOf("random");
  const model: Model = {
    files: new Map(),
    order: new Map(),
    revisions: new Map(),
    scopes: null,
  };
  for (let step = 0; step < STEPS; step++) {
    await change(index, model, step);
    for (const folder of [null, pickAt(["a", "a/b", "c"], step, "folder")]) {
      const selection = folder === null ? null : { files: [], folders: [folder] };
      const restriction: Restriction = { named: selection, metadata: [] };
      const result = await search(index, "granite", { restriction, limitPerLeg: 50 });
      const { all, hits } = expected(model, folder, "granite");
      expect(result.vectorPlaces.sort(), `step ${step}`).toEqual(all);
      expect(result.lexicalPlaces.sort(), `step ${step}`).toEqual(hits);
    }
    const chunks = [...model.files.values()].reduce((sum, texts) => sum + texts.length, 0);
    const facts = { chunks, files: model.files.size, staged: 0 };
    expect(await index.facts(), `step ${step}`).toMatchObject(facts);
  }
});
