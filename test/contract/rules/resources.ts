import { LEAVE } from "../documents.ts";
import { assert, assertIs, keysOf, needing, ok, section, type Rule } from "../rule.ts";
import type { World } from "../world.ts";

type Item = Record<string, unknown> & { identifier: string };
type Run = Record<string, unknown> & {
  items: { text: string; score: number }[];
  toolCalls: Record<string, unknown>[];
};

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const SEARCH = { semanticSearch: ["How many days of paid leave are there?"] };
const ASK = { prompt: "How many days of paid leave are there?", ...SEARCH };

const item = async (world: World, path: string, identifier: string): Promise<Item> =>
  ok<Item[]>(await world.get(path)).find((entry) => entry.identifier === identifier) ?? {
    identifier: "not listed",
  };

const run = async (world: World, more: object = {}, by?: string) =>
  ok<Run>(await world.post(`/api/inferences/${world.inference}`, { ...ASK, ...more }, by));

const asAdmin = async (world: World, path: string, json: unknown) =>
  await world.as(world.admin, "POST", path, json);

const ragItem = section("Resources: RAG (list item)", {
  "has exactly the fields of the table": async (world) => {
    const rag = await item(world, "/api/rags", world.rag);
    assert.deepEqual(keysOf(rag), [
      "fileSource",
      "id",
      "identifier",
      "name",
      "numberVectors",
      "processedFiles",
      "status",
      "totalFiles",
    ]);
    assert.deepEqual(keysOf(rag["fileSource"]), ["id", "identifier", "name", "provider"]);
    assert.match(String(rag["id"]), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    assert.equal(rag["name"], "Conformance main");
    assert.equal(rag["status"], "active");
  },
  "counts files, processed files and vectors": async (world) => {
    const rag = await item(world, "/api/rags", world.rag);
    // Seven documents, of which the empty one is in error; each of the others is one chunk.
    assert.deepEqual([rag["totalFiles"], rag["processedFiles"], rag["numberVectors"]], [7, 6, 6]);
  },
  "names its file source": async (world) => {
    const { fileSource } = await item(world, "/api/rags", world.rag);
    assert.deepEqual(fileSource, {
      id: world.fileSourceId,
      name: "Conformance docs",
      identifier: world.source,
      provider: "file_system",
    });
  },
});

const ragDetail = section("Resources: RAG (detail)", {
  "has the counts and the scopes, and no file source": async (world) => {
    const detail = ok<Item>(await world.get(`/api/rags/${world.scopedRag}`));
    const { id, ...rest } = detail;
    assert.match(String(id), /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      name: "Conformance scoped",
      identifier: world.scopedRag,
      status: "active",
      totalFiles: 3,
      processedFiles: 3,
      numberVectors: 3,
      fileSourceScopeMode: "scoped",
      fileSourceScopes: [{ type: "path", value: "guide/" }],
    });
  },
  "a global RAG has no scope list to manage": async (world) => {
    const detail = ok<Item>(await world.get(`/api/rags/${world.rag}`));
    assert.deepEqual([detail["fileSourceScopeMode"], detail["fileSourceScopes"]], ["global", []]);
  },
});

const inferenceItem = section("Resources: Inference (list item)", {
  "has exactly the fields of the table": async (world) => {
    const inference = await item(world, "/api/inferences", world.inference);
    assert.match(String(inference["createdAt"]), ISO);
    const { createdAt: _, ...rest } = inference;
    assert.deepEqual(rest, {
      name: "Conformance ask",
      identifier: world.inference,
      url: `${world.client.baseUrl}/api/inferences/${world.inference}`,
      fileSources: [
        {
          ragIdentifier: world.rag,
          ragName: "Conformance main",
          identifier: world.source,
          provider: "file_system",
        },
        {
          ragIdentifier: world.otherRag,
          ragName: "Conformance zother",
          identifier: world.otherSource,
          provider: "file_system",
        },
      ],
    });
  },
  "without native RAG it lists no file sources": async (world) => {
    assert.deepEqual((await item(world, "/api/inferences", world.tools))["fileSources"], []);
  },
});

const chunk = section("Resources: Chunk", {
  "has text and score, 0 to 1, and nothing else": async (world) => {
    const answer = await world.post(`/api/rags/${world.rag}/retrieve`, SEARCH);
    const { chunks } = ok<{ chunks: { text: string; score: number }[] }>(answer);
    assert.ok(chunks.length > 0);
    for (const passage of chunks) {
      assert.deepEqual(keysOf(passage), ["score", "text"]);
      assert.ok(passage.score >= 0 && passage.score <= 1);
    }
    assert.ok(chunks[0]?.text.includes(LEAVE), chunks[0]?.text);
  },
  "tells its source when includeSources asks for it": async (world) => {
    const request = { semanticSearch: ["peat-free compost"], topK: 1, includeSources: true };
    const answer = await world.post(`/api/rags/${world.rag}/retrieve`, request);
    const { chunks } = ok<{ chunks: { text: string; source: Record<string, unknown> }[] }>(answer);
    const { start, end, modifiedAt, ...source } = chunks[0]?.source ?? {};
    assert.match(String(modifiedAt), /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
    assert.equal(Number(end) - Number(start), chunks[0]?.text.length);
    assert.deepEqual(source, {
      ragIdentifier: world.rag,
      filePath: "notes/labelled.md",
      name: "labelled.md",
      externalId: null,
      url: null,
      position: 0,
      page: null,
      headings: ["Supply contract"],
    });
  },
});

const runResponse = section("Resources: Inference run response", {
  "has the fields that are always there, and no other": async (world) => {
    const answer = await run(world);
    const always = ["inference", "items", "params", "response", "toolCalls"];
    assert.deepEqual(keysOf(answer), always);
    assert.equal(answer["inference"], world.inference);
    assert.deepEqual(answer.toolCalls, []);
    assert.deepEqual(keysOf(answer.items[0]), ["score", "text"]);
  },
  "response is an array of content blocks": async (world) => {
    const { response } = await run(world);
    const [block] = response as { type: string; text: string }[];
    assert.equal(block?.type, "text");
    assert.ok(block.text.includes("twenty-six days"), block.text);
  },
  "params holds what was received, with defaults applied": async (world) => {
    const { params } = await run(world, { similarityThreshold: 0.01, unheardOf: true });
    assert.deepEqual(params, {
      ...ASK,
      topK: 5,
      useReranking: false,
      candidateMultiplier: 2,
      similarityThreshold: 0.01,
      includeDuplicates: false,
      useAllFiles: true,
      includeSystemPrompt: false,
    });
  },
  "systemPrompt only when includeSystemPrompt is true": async (world) => {
    const { systemPrompt } = await run(world, { includeSystemPrompt: true });
    assert.equal(systemPrompt, "Answer from the passages alone.");
  },
  "toolCalls has an entry for each use of a tool": async (world) => {
    const answer = await world.post(`/api/inferences/${world.tools}`, { prompt: ASK.prompt });
    const { toolCalls, items } = ok<Run>(answer);
    assert.ok(toolCalls.length > 0);
    for (const call of toolCalls) {
      assert.deepEqual(keysOf(call), ["id", "ok", "tool"]);
      assert.equal(call["ok"], true);
    }
    assert.ok(items.some(({ text }) => text.includes(LEAVE)));
  },
});

const degradation = needing(
  "failing reranker",
  section("Resources: Degradation", {
    "a failed reranker is no error; a token sees only that it happened": async (world) => {
      const request = { semanticSearch: ["where do the hives stand"], useReranking: true };
      const answer = await world.post(`/api/rags/${world.brittleRag}/retrieve`, request);
      const { degraded, chunks } = ok<{ degraded: unknown; chunks: unknown[] }>(answer);
      assert.deepEqual(degraded, { occurred: true });
      assert.ok(chunks.length > 0);
    },
    "an administrator is told what was lost": async (world) => {
      const request = { semanticSearch: ["where do the hives stand"], useReranking: true };
      const path = `/api/rags/${world.brittleRag}/retrieve`;
      const { degraded } = ok<{ degraded: { message: string } }>(
        await asAdmin(world, path, request),
      );
      assert.match(degraded.message, /^reranker/);
    },
  }),
);

const administratorFields = section("Resources: Administrator-only fields", {
  "an administrator sees timings, usage and the header": async (world) => {
    const answer = await asAdmin(world, `/api/inferences/${world.inference}`, ASK);
    const { timings, usage } = ok<Run>(answer);
    assert.deepEqual(keysOf(timings), ["contextMs", "modelMs", "rerankingMs", "totalMs"]);
    assert.deepEqual(keysOf(usage), ["cost", "inputTokens", "outputTokens", "totalTokens"]);
    const dur = String.raw`dur=\d+\.\d`;
    const header = new RegExp(`^context;${dur}, reranking;${dur}, model;${dur}, total;${dur}$`);
    assert.match(answer.headers.get("X-Inference-Timings") ?? "", header);
  },
  "an administrator sees the debug detail of a tool call": async (world) => {
    const request = { prompt: ASK.prompt };
    const answer = await asAdmin(world, `/api/inferences/${world.tools}`, request);
    const [call] = ok<Run>(answer).toolCalls;
    assert.deepEqual(keysOf(call), ["debug", "id", "ok", "tool"]);
    assert.deepEqual(keysOf(call?.["debug"]), ["durationMs", "input", "output"]);
  },
  "a token sees none of it": async (world) => {
    const answer = await world.post(`/api/inferences/${world.inference}`, ASK);
    const always = ["inference", "items", "params", "response", "toolCalls"];
    assert.deepEqual(keysOf(ok(answer)), always);
    assert.equal(answer.headers.get("X-Inference-Timings"), null);
  },
  "a member sees none of it": async (world) => {
    const path = `/api/inferences/${world.tools}`;
    const answer = await world.as(world.member, "POST", path, { prompt: ASK.prompt });
    const { toolCalls, ...rest } = ok<Run>(answer);
    assert.deepEqual(keysOf(toolCalls[0]), ["id", "ok", "tool"]);
    assert.deepEqual(keysOf(rest), ["inference", "items", "params", "response"]);
    assert.equal(answer.headers.get("X-Inference-Timings"), null);
  },
});

const webhookSecret = section("Resources: Webhook secret", {
  "it is no access token": async (world) => {
    assertIs(await world.get("/api/rags", world.webhookSecret), 401, { error: "Unauthorized" });
  },
});

export const resources: Rule[] = [
  ...ragItem,
  ...ragDetail,
  ...inferenceItem,
  ...chunk,
  ...runResponse,
  ...degradation,
  ...administratorFields,
  ...webhookSecret,
];
