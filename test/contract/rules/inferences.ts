import { LEAVE } from "../documents.ts";
import { assert, isInvalid, keysOf, needing, ok, section, type Rule } from "../rule.ts";
import type { World } from "../world.ts";

type Run = {
  response: unknown;
  items: { text: string; score: number; source?: { filePath: string; ragIdentifier: string } }[];
};

const QUESTION = "How many days of paid leave are there?";
const ASK = { prompt: QUESTION, semanticSearch: [QUESTION] };

const send = async (world: World, body: object, inference = world.inference) =>
  await world.post(`/api/inferences/${inference}`, body);
const ask = async (world: World, more: object) => await send(world, { ...ASK, ...more });
const itemsOf = async (world: World, more: object) =>
  ok<Run>(await ask(world, { includeSources: true, topK: 100, ...more })).items.map(
    ({ source }) => `${source?.ragIdentifier === world.rag ? "main" : "other"} ${source?.filePath}`,
  );

const list = section("GET /api/inferences", {
  "lists only what the token permits, by identifier": async (world) => {
    const names = async (token?: string) =>
      ok<{ identifier: string }[]>(await world.get("/api/inferences", token)).map(
        ({ identifier }) => identifier,
      );
    const mine = [world.inference, world.failing, world.plain, world.tools];
    assert.deepEqual(await names(), mine.toSorted());
    assert.deepEqual(await names(world.limited), [world.plain]);
    assert.deepEqual(await names(world.none), []);
  },
});

const run = section("POST /api/inferences/{identifier}", {
  "prompt is required": async (world) => {
    isInvalid(await send(world, { semanticSearch: ["leave"] }), "prompt is required");
    isInvalid(await send(world, { ...ASK, prompt: "  " }), "prompt must not be blank");
    isInvalid(await send(world, { ...ASK, prompt: 7 }), "prompt must be a string");
  },
  "all that a body misses is told at once, and a field once": async (world) => {
    isInvalid(
      await send(world, { topK: 0, jsonSchema: "{" }),
      "prompt is required; topK must be at least 1; semanticSearch is required; jsonSchema must be a JSON Schema serialised as a string: it is not JSON",
    );
    isInvalid(
      await send(world, { topK: 101, similarityThreshold: 0.5 }, world.tools),
      "prompt is required; topK must be at most 100; similarityThreshold is accepted only by an inference with native RAG",
    );
    isInvalid(await ask(world, { semanticSearch: "a" }), "semanticSearch must be an array");
    isInvalid(await send(world, []), "body must be an object");
  },
  "rule 1: with linked RAGs, missing semanticSearch is 400": async (world) => {
    isInvalid(await send(world, { prompt: QUESTION }), "semanticSearch is required");
    isInvalid(await ask(world, { semanticSearch: [] }), "semanticSearch is required");
    const blank = await ask(world, { semanticSearch: ["leave", " \n"] });
    isInvalid(blank, "semanticSearch[1] must not be blank");
  },
  "rule 2: without linked RAGs semanticSearch is ignored": async (world) => {
    const answer = ok<Run>(await send(world, ASK, world.plain));
    assert.deepEqual(answer.items, []);
    ok(await send(world, { prompt: QUESTION }, world.plain));
    for (const semanticSearch of [7, [], [" "], Array.from({ length: 11 }, () => "leave")]) {
      ok(await send(world, { prompt: QUESTION, semanticSearch }, world.plain));
    }
    isInvalid(await send(world, { semanticSearch: 7 }, world.plain), "prompt is required");
  },
  "rule 3: without native RAG the RAG-only fields are 400": async (world) => {
    const fields = {
      semanticSearch: ["leave"],
      similarityThreshold: 0.5,
      selectedFiles: [],
      selectedFolders: [],
      providerFilter: [],
    };
    for (const [field, value] of Object.entries(fields)) {
      const answer = await send(world, { prompt: QUESTION, [field]: value }, world.tools);
      isInvalid(answer, `${field} is accepted only by an inference with native RAG`);
    }
  },
  "rule 4: each of up to 10 queries is searched, and the results are de-duplicated": async (
    world,
  ) => {
    const semanticSearch = ["hives in the orchard", "trains", "hives in the orchard"];
    const items = await itemsOf(world, { semanticSearch });
    assert.ok(items.includes("other bees.md") && items.includes("main guide/travel.md"));
    assert.equal(new Set(items).size, items.length);
    const eleven = await ask(world, { semanticSearch: Array.from({ length: 11 }, () => "leave") });
    isInvalid(eleven, "semanticSearch must have at most 10 items");
  },
  "rule 5: with jsonSchema, response follows the schema": async (world) => {
    const object = { type: "object", properties: { answer: { type: "string" } } };
    const schema = { ...object, required: ["answer"], additionalProperties: false };
    const { response } = ok<Run>(await ask(world, { jsonSchema: JSON.stringify(schema) }));
    assert.deepEqual(keysOf(response), ["answer"]);
    const list = { type: "array", items: { type: "string" } };
    const array = ok<Run>(await ask(world, { jsonSchema: JSON.stringify(list) })).response;
    assert.ok(Array.isArray(array) && array.every((item) => typeof item === "string"));
  },
  "jsonSchema is a string that holds a schema of an object or an array": async (world) => {
    isInvalid(await ask(world, { jsonSchema: { type: "object" } }), "jsonSchema must be a string");
    const deep = `${'{"not":'.repeat(5_000)}{}${"}".repeat(5_000)}`;
    const wrong = ["{not json", "3", '{"type":"sort of"}', '{"type":"string"}', deep];
    for (const jsonSchema of wrong) {
      const answer = await ask(world, { jsonSchema });
      assert.equal(answer.status, 400, jsonSchema.slice(0, 40));
      assert.match((answer.body as { error: string }).error, /^Invalid request: jsonSchema /);
    }
  },
  "the bounds of topK, candidateMultiplier and similarityThreshold": async (world) => {
    const answer = await ask(world, { topK: 101, candidateMultiplier: 1, similarityThreshold: 2 });
    isInvalid(
      answer,
      "topK must be at most 100; candidateMultiplier must be at least 2; similarityThreshold must be at most 1",
    );
    assert.equal((await itemsOf(world, { topK: 1 })).length, 1);
  },
  "selectedFiles is grouped by RAG": async (world) => {
    const selectedFiles = [{ ragIdentifier: world.rag, files: ["guide/leave.md"] }];
    const items = await itemsOf(world, { useAllFiles: false, selectedFiles });
    assert.deepEqual(items, ["main guide/leave.md"]);
    const flat = await ask(world, { selectedFiles: ["guide/leave.md"] });
    isInvalid(flat, "selectedFiles[0] must be an object");
  },
  "selectedFolders is grouped by RAG and expanded; a RAG not named contributes nothing": async (
    world,
  ) => {
    const selectedFolders = [{ ragIdentifier: world.rag, folders: ["guide"] }];
    const items = await itemsOf(world, { useAllFiles: false, selectedFolders });
    assert.deepEqual(items.toSorted(), [
      "main guide/deep/receipts.md",
      "main guide/leave.md",
      "main guide/travel.md",
    ]);
  },
  "a RAG that the inference does not link is 400": async (world) => {
    const selectedFiles = [{ ragIdentifier: world.scopedRag, files: ["guide/leave.md"] }];
    const problem = "selectedFiles[0].ragIdentifier names no RAG of this inference";
    isInvalid(await ask(world, { selectedFiles, useAllFiles: false }), problem);
    ok(await ask(world, { selectedFiles, useAllFiles: true }));
    const providerFilter = [
      { field: "labels", values: [] },
      { ragIdentifier: world.scopedRag, field: "labels", values: [] },
    ];
    const filter = "providerFilter[1].ragIdentifier names no RAG of this inference";
    isInvalid(await ask(world, { providerFilter }), filter);
  },
  "providerFilter: entries are ANDed, values ORed, lists match by a shared value": async (
    world,
  ) => {
    const filtered = async (...providerFilter: object[]) =>
      await itemsOf(world, { providerFilter });
    const ragIdentifier = world.rag;
    const labels = { ragIdentifier, field: "labels", values: ["draft", "2026"] };
    const owner = (name: string) => ({ ragIdentifier, field: "owner", values: [name] });
    const otherItems = (await itemsOf(world, {})).filter((item) => item.startsWith("other")).sort();
    for (const [item, ...entries] of [
      [["main notes/labelled.md"], labels],
      [["main notes/labelled.md"], labels, owner("mara")],
      [[], labels, owner("otto")],
    ] as [string[], ...object[]][]) {
      const items = await filtered(...entries);
      assert.deepEqual(items.toSorted(), [...item, ...otherItems]);
    }
    assert.deepEqual(await filtered({ field: "labels", values: ["contract"] }), [
      "main notes/labelled.md",
    ]);
  },
  "includeDuplicates includes chunks that repeat another's text": async (world) => {
    const copies = async (includeDuplicates: boolean) =>
      (await itemsOf(world, { includeDuplicates })).filter((item) => /leave|copy/.test(item))
        .length;
    assert.deepEqual([await copies(false), await copies(true)], [1, 2]);
  },
  "unknown fields are ignored": async (world) => {
    ok(await ask(world, { temperature: "hot", stream: true }));
  },
});

const provider = needing(
  "failing model",
  section("POST /api/inferences/{identifier}", {
    "a failure of the model provider is 502 with a message": async (world) => {
      const answer = await send(world, { prompt: QUESTION }, world.failing);
      assert.equal(answer.status, 502);
      assert.deepEqual(keysOf(answer.body), ["error"]);
      assert.doesNotMatch(answer.text, /https?:|Bearer|at .*\.ts/);
    },
  }),
);

const context = section("POST /api/inferences/{identifier}/retrieve", {
  "answers with systemPrompt and chunks, without prompt": async (world) => {
    const path = `/api/inferences/${world.inference}/retrieve`;
    const answer = ok<{ systemPrompt: string; chunks: { text: string }[] }>(
      await world.post(path, { semanticSearch: [QUESTION] }),
    );
    assert.deepEqual(keysOf(answer), ["chunks", "systemPrompt"]);
    assert.equal(answer.systemPrompt, "Answer from the passages alone.");
    assert.ok(answer.chunks[0]?.text.includes(LEAVE));
    assert.deepEqual(keysOf(answer.chunks[0]), ["score", "text"]);
  },
  "the semanticSearch rules hold": async (world) => {
    const retrieve = async (inference: string, body: object) =>
      await world.post(`/api/inferences/${inference}/retrieve`, body);
    isInvalid(await retrieve(world.inference, {}), "semanticSearch is required");
    const answer = ok<{ chunks: unknown[] }>(await retrieve(world.plain, {}));
    assert.deepEqual(answer.chunks, []);
    isInvalid(
      await retrieve(world.tools, { semanticSearch: ["leave"] }),
      "semanticSearch is accepted only by an inference with native RAG",
    );
    assert.deepEqual(ok<{ chunks: unknown[] }>(await retrieve(world.tools, {})).chunks, []);
  },
});

export const inferences: Rule[] = [...list, ...run, ...provider, ...context];
