// Evaluated before any clock is faked: a run loads it in real time.
import "../../../src/inference/ai-sdk.ts";

import * as fc from "fast-check";
import { beforeEach, expect, test, vi } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { newInference } from "../../../src/catalog/inferences/inference-settings.ts";
import { parseConfig } from "../../../src/config.ts";
import type { ChunkId, FileId, InferenceId } from "../../../src/core/ids.ts";
import { jsonLog } from "../../../src/core/log.ts";
import { runUntraced } from "../../../src/core/trace.ts";
import type { InferenceRecord } from "../../../src/db/records.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { runInference } from "../../../src/inference/run-inference.ts";
import type { InferenceServices } from "../../../src/inference/types.ts";
import type { HydratedChunk, RagIndex, SearchReply } from "../../../src/ports/rag-index.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { freeTurns } from "../../support/free-turns.ts";
import { noLimits } from "../../support/no-limits.ts";
import { ragRecord } from "../../support/rag-record.ts";
import { SEED } from "../../support/seed.ts";

/** Time is moved by hand: whatever takes how long, nobody waits for it here. */
beforeEach(() => vi.useFakeTimers());
const RETRIEVAL_MS = 8_000;
const MODEL_MS = 60_000;
const TOLERANCE_MS = 250;

/** How long each place takes to answer, ms; null: for ever. */
type Pace = number | null;
const PLACES = ["embeddings", "search", "vectorIndex", "rerank", "chat"] as const;
const never = () => new Promise<never>(() => {});
const bound = { all: never, run: never, raw: never, first: never };
const statement = { ...bound, bind: () => bound };

type Paces = Record<(typeof PLACES)[number], Pace>;

function after<T>(pace: Pace, value: T): Promise<T> {
  return new Promise((resolve) => {
    if (pace !== null) setTimeout(() => resolve(value), pace);
  });
}

const id = "chunk" as ChunkId;
const chunk: HydratedChunk = {
  id,
  text: "The boiler gets its service.",
  duplicateKey: "chunk",
  similarities: [0.5],
  scores: [{ lexical: 1, vector: null }],
  file: {
    fileId: "f" as FileId,
    path: "a.md",
    name: "a.md",
    externalId: null,
    url: null,
    modifiedAt: 0,
  },
  fileChunks: 1,
  position: 0,
  headings: [],
  languages: "en",
  page: null,
  start: 0,
  end: 1,
};
const searchReply: SearchReply = {
  chunks: [chunk],
  queries: [{ lexical: [1], vector: [], equal: 0 }],
  relation: 0,
  candidates: 1,
  unsearched: 0,
  scanned: false,
};

const ANSWERS: [path: string, place: keyof Paces, reply: unknown][] = [
  ["/embeddings", "embeddings", { data: [{ index: 0, embedding: Array(8).fill(1) }] }],
  ["/rerank", "rerank", { results: [{ index: 0, relevance_score: 1 }] }],
  ["/chat/completions", "chat", { choices: [{ message: { role: "assistant", content: "Yes." } }] }],
];

let servers = 0;

function servicesAt(paces: Paces, modelStatus: number): InferenceServices {
  const config = parseConfig({
    ENVIRONMENT: "development",
    // Facts that a server has shown are remembered, so each registry gets a server of its own.
    OPENAI_COMPATIBLE_BASE_URL: `http://models-${(servers += 1)}.test/v1`,
    RETRIEVAL_TIMEOUT_MS: String(RETRIEVAL_MS),
    MODEL_TIMEOUT_MS: String(MODEL_MS),
  });
  const fetch = async (input: RequestInfo | URL): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input);
    const [, place = "chat", reply] = ANSWERS.find(([path]) => url.endsWith(path)) ?? [];
    const status = place === "chat" ? modelStatus : 200;
    return after(paces[place], Response.json(reply, { status, headers: { "retry-after": "3" } }));
  };
  const index = {
    search: () => after(paces.search, searchReply),
  } as unknown as RagIndex;
  return {
    config,
    now: () => Date.now(),
    log: jsonLog(() => {}),
    trace: runUntraced,
    ragIndexes: () => index,
    vectorIndex: {
      query: () => after(paces.vectorIndex, { matches: [{ id, score: 0.5 }], floor: null }),
    } as unknown as NonNullable<InferenceServices["vectorIndex"]>,
    models: modelRegistry(config, { fetch }),
    spending: noLimits,
    // Neither prices nor usage ever come: nobody waits long for the ones, or at all for the others.
    db: openDatabase({ prepare: () => statement } as unknown as D1Database),
    queue: { usage: () => new Promise(() => {}) } as unknown as InferenceServices["queue"],
    runInBackground: () => {},
    turns: freeTurns(),
  };
}

const rag = ragRecord("docs", {
  reranker: "local/rerank",
  shards: 2,
  embeddingModel: "local/embed",
  dimensions: 8,
});

const wish = {
  topK: 5,
  useReranking: true,
  candidateMultiplier: 2,
  includeDuplicates: false,
};

/** Returns the work's time by the clock; the work may not outlive `mostMs`. */
async function elapsedOf(work: Promise<unknown>, mostMs: number): Promise<number> {
  const startedAt = Date.now();
  let endedAt: number | null = null;
  const end = work.then(
    () => (endedAt = Date.now()),
    () => (endedAt = Date.now()),
  );
  await vi.advanceTimersByTimeAsync(mostMs);
  if (endedAt === null) return Number.POSITIVE_INFINITY;
  return (await end) - startedAt;
}

const pace = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 0, max: 3_000 }),
  fc.integer({ min: 0, max: 90_000 }),
);
const anyPaces = fc.record(
  Object.fromEntries(PLACES.map((place) => [place, pace])) as Record<keyof Paces, typeof pace>,
);

const search = (services: InferenceServices) => {
  const targets = [{ rag, restriction: { named: null, metadata: [] } }];
  const how = { targets, queries: ["boiler"], similarityThreshold: null, ...wish };
  return retrieve(services, how);
};

test("a search ends within its budget, however slow each of its places is", async () => {
  const property = fc.asyncProperty(anyPaces, async (paces) => {
    const work = search(servicesAt(paces, 200));
    const most = RETRIEVAL_MS + TOLERANCE_MS;
    expect(await elapsedOf(work, most)).toBeLessThanOrEqual(most);
  });
  await fc.assert(property, { numRuns: 150, seed: SEED });
});

test("what is left out of a search that is too slow is told", async () => {
  const silence: Paces = {
    embeddings: null,
    search: null,
    vectorIndex: null,
    rerank: null,
    chat: null,
  };
  const work = search(servicesAt(silence, 200));
  const elapsed = await elapsedOf(work, RETRIEVAL_MS + TOLERANCE_MS);
  expect(elapsed).toBeLessThanOrEqual(RETRIEVAL_MS);
  const { chunks, degradations } = await work;
  expect(chunks).toEqual([]);
  expect(degradations.toSorted()).toEqual([
    "embedding: no answer after 4000 ms",
    "index part 1 of 2: no answer after 2800 ms",
    "index part 2 of 2: no answer after 2800 ms",
  ]);
});

const settings = { name: "Ask", identifier: "ask", systemPrompt: "", model: "local/chat" };
const inference: InferenceRecord = {
  ...newInference.parse(settings),
  ...settings,
  id: "inference" as InferenceId,
  createdAt: 0,
  updatedAt: 0,
  rags: [rag],
};

test("a run ends within both budgets, whether the model is slow, silent or overloaded", async () => {
  const property = fc.asyncProperty(
    anyPaces,
    fc.constantFrom(200, 429, 500, 503),
    async (paces, modelStatus) => {
      const input = { ...wish, prompt: "?", semanticSearch: ["boiler"], useAllFiles: true };
      const run = { inference, input, caller: { tokenId: null } };
      const work = runInference(servicesAt(paces, modelStatus), run);
      const most = RETRIEVAL_MS + MODEL_MS + TOLERANCE_MS;
      expect(await elapsedOf(work, most)).toBeLessThanOrEqual(most);
      const outcome = await work.then(
        ({ response }) => response,
        (thrown: unknown) => thrown,
      );
      const failed = expect.objectContaining({ kind: "model-failed" }) as unknown;
      expect([[{ type: "text", text: "Yes." }], failed]).toContainEqual(outcome);
    },
  );
  await fc.assert(property, { numRuns: 150, seed: SEED });
});
