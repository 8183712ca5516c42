/**
 * Every failure × every place: what a caller gets, what of it a bearer sees, and what an
 * administrator does. Beside the model itself nothing fails a call.
 */
import { beforeAll, describe, expect, test } from "vitest";

import { vectorizeIndex } from "../../../src/adapters/cloudflare/vectorize-index.ts";
import { hashEmbedding } from "../../../src/adapters/embedded/hash-embedder.ts";
import type { RagRecord } from "../../../src/db/records.ts";
import { degradedFor } from "../../../src/http/answers.ts";
import { answerTo } from "../../../src/http/errors.ts";
import { runInference } from "../../../src/inference/run-inference.ts";
import type { InferenceServices } from "../../../src/inference/types.ts";
import type { VectorIndex } from "../../../src/ports/vector-index.ts";
import { SECRET_BODY } from "../../doubles/openai-compatible/failures.ts";
import type { Failure } from "../../doubles/openai-compatible/failures.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { DIMENSIONS, factsOf, versionOf } from "../rag-index/support.ts";
import { indexedRag, inferenceOf, inputOf, nobody, worldWith } from "./support.ts";

const HOLIDAY = "Full-time employees get 26 days of holiday a year.";
const PASSAGES = [HOLIDAY, "Sick leave is reported before 9:30."];

/** Short budgets, so that what hangs is given up soon; long enough for a busy machine. */
const variables = { RETRIEVAL_TIMEOUT_MS: "1200", MODEL_TIMEOUT_MS: "250" };

/** 200 with the loss that an administrator is told of, or 502 with everybody's message. */
type Cell = { lost: string } | { error: string };
const lost = (reason: string): Cell => ({ lost: `${reason} after \\d+ ms` });
const error = (reason: string): Cell => ({ error: `Model call failed: ${reason}` });
/** Cannot happen there: no text of a model is read, or no bytes come over a wire. */
const NEVER = null;

type Places = "embedding" | "vector index" | "lexical leg" | "rerank" | "chat";
const PLACES: Places[] = ["embedding", "vector index", "lexical leg", "rerank", "chat"];
type Row = [failure: string, Failure, ...cells: (Cell | typeof NEVER)[]];

const BROKEN = "(unreadable reply|connection failed)";
const SCHEMA = "the answer does not follow the JSON Schema";

const TABLE: Row[] = [
  // failure, then: embedding, vector index, lexical leg, rerank, chat
  [
    "429, Retry-After: 30",
    { kind: "status", status: 429, retryAfter: "30" },
    lost("embedding: 429"),
    lost("vector index: failed"),
    lost("index: failed"),
    lost("reranker: 429"),
    error("provider answered 429"),
  ],
  [
    "500",
    { kind: "status", status: 500 },
    lost("embedding: 500"),
    lost("vector index: failed"),
    lost("index: failed"),
    lost("reranker: 500"),
    error("provider answered 500"),
  ],
  [
    "401",
    { kind: "status", status: 401 },
    lost("embedding: 401"),
    NEVER,
    NEVER,
    lost("reranker: 401"),
    error("provider answered 401"),
  ],
  [
    "hangs",
    { kind: "hang" },
    lost("embedding: no answer"),
    lost("vector index: no answer"),
    lost("index: no answer"),
    lost("reranker: no answer"),
    error("no answer after \\d+ ms"),
  ],
  [
    "drips",
    { kind: "drip" },
    lost("embedding: no answer"),
    NEVER,
    NEVER,
    lost("reranker: no answer"),
    error("no answer after \\d+ ms"),
  ],
  [
    "refuses the connection",
    { kind: "refused" },
    lost("embedding: connection failed"),
    lost("vector index: failed"),
    lost("index: failed"),
    lost("reranker: connection failed"),
    error("connection failed"),
  ],
  [
    "cuts the connection",
    { kind: "cut" },
    lost(`embedding: ${BROKEN}`),
    lost("vector index: failed"),
    lost("index: failed"),
    lost(`reranker: ${BROKEN}`),
    error(BROKEN),
  ],
  [
    "malformed JSON",
    { kind: "malformed" },
    lost("embedding: unreadable reply"),
    NEVER,
    NEVER,
    lost("reranker: unreadable reply"),
    error("unreadable reply"),
  ],
  [
    "a reply of another form",
    { kind: "wrong-form" },
    lost("embedding: unreadable reply"),
    lost("vector index: failed"),
    NEVER,
    lost("reranker: unreadable reply"),
    error("unreadable reply"),
  ],
  [
    "an empty reply",
    { kind: "empty-choices" },
    lost("embedding: incomplete reply"),
    NEVER,
    NEVER,
    lost("reranker: incomplete reply"),
    error("unusable reply"),
  ],
  ["wrong schema", { kind: "wrong-schema" }, NEVER, NEVER, NEVER, NEVER, error(SCHEMA)],
  ["refusal", { kind: "refusal" }, NEVER, NEVER, NEVER, NEVER, error(SCHEMA)],
  ["unknown tool", { kind: "unknown-tool" }, NEVER, NEVER, NEVER, NEVER, error(SCHEMA)],
  ["arguments no JSON", { kind: "bad-arguments" }, NEVER, NEVER, NEVER, NEVER, error(SCHEMA)],
];

let rag: RagRecord;
let vectors: { id: string; score: number }[];

beforeAll(async () => {
  const models = { embeddingModel: "local/embed", reranker: "local/rerank" };
  rag = await indexedRag("handbook", { "leave.md": PASSAGES }, models);
  const { staged } = await versionOf(factsOf("leave.md").fileId, PASSAGES);
  vectors = staged.map(({ id }, at) => ({ id, score: 0.5 - at / 10 }));
});

/** As the platform's bindings fail: by throwing, by silence, or with something else. */
function failedBinding({ kind }: Failure): Promise<unknown> {
  if (kind === "hang") return new Promise(() => {});
  if (kind === "wrong-form") return Promise.resolve({ matches: SECRET_BODY });
  return Promise.reject(new Error(SECRET_BODY));
}

function vectorIndexOf(failure: Failure | null): VectorIndex {
  const query = () =>
    failure === null ? Promise.resolve({ matches: vectors }) : failedBinding(failure);
  return vectorizeIndex({ query } as unknown as Parameters<typeof vectorizeIndex>[0]);
}

const DOUBLED = { embedding: "embeddings", rerank: "rerank", chat: "chat" } as const;

/** A service where everything works but one place. */
function failingAt(place: Places | null, failure: Failure) {
  const double = new OpenAiDouble({ embed: (text) => hashEmbedding(text, DIMENSIONS) });
  double.script = () => ({ text: '{"answer":"26"}' });
  if (place === "embedding" || place === "rerank" || place === "chat") {
    double.fail(DOUBLED[place], failure);
  }
  const world = worldWith({ double, variables });
  const { ragIndexes } = world.services;
  const fails = { search: () => failedBinding(failure) };
  const services: InferenceServices = {
    ...world.services,
    vectorIndex: vectorIndexOf(place === "vector index" ? failure : null),
    ragIndexes:
      place === "lexical leg"
        ? (address) => Object.assign(Object.create(ragIndexes(address)), fails)
        : ragIndexes,
  };
  return { world, services };
}

const viewer = (isAdmin: boolean) => ({ tokenId: null, isAdmin }) as never;

async function see(services: InferenceServices) {
  const inference = inferenceOf({ model: "local/chat", rags: [rag] });
  const jsonSchema = JSON.stringify({ type: "object", required: ["answer"] });
  const input = inputOf({ semanticSearch: ["days of holiday"], useReranking: true, jsonSchema });
  try {
    const { degradations, items } = await runInference(services, {
      inference,
      input,
      caller: nobody,
    });
    const bearer = degradedFor(viewer(false), degradations);
    const administrator = degradedFor(viewer(true), degradations);
    return { status: 200, error: null, bearer, administrator, first: items[0]?.text };
  } catch (thrown) {
    return { ...answerTo(thrown), bearer: {}, administrator: {}, first: undefined };
  }
}

test("nothing fails: nothing is degraded", async () => {
  const { services } = failingAt(null, { kind: "hang" });
  expect(await see(services)).toEqual({
    status: 200,
    error: null,
    bearer: {},
    administrator: {},
    first: HOLIDAY,
  });
});

const CELLS = TABLE.flatMap(([name, failure, ...cells]) =>
  PLACES.flatMap((place, at) => {
    const cell = cells[at] ?? NEVER;
    return cell === NEVER ? [] : [{ name, failure, place, cell }];
  }),
);

describe.each(PLACES)("%s", (place) => {
  const here = CELLS.filter((one) => one.place === place);
  test.each(here)("$name", async ({ failure, cell }) => {
    const { world, services } = failingAt(place, failure);
    const seen = await see(services);
    expect(JSON.stringify(seen)).not.toContain("sk-secret-key");
    if ("error" in cell) {
      expect(seen).toMatchObject({ status: 502, bearer: {}, administrator: {} });
      expect(seen.error).toMatch(new RegExp(`^${cell.error}$`));
    } else {
      expect(seen).toMatchObject({ status: 200, error: null, first: HOLIDAY });
      expect(seen.bearer).toEqual({ degraded: { occurred: true } });
      const message = expect.stringMatching(new RegExp(`^${cell.lost}$`)) as string;
      expect(seen.administrator).toEqual({ degraded: { occurred: true, message } });
    }
    await world.settled();
    const outcome = "error" in cell ? "error" : "degraded";
    expect(world.usage).toMatchObject([{ outcome, model: "local/chat" }]);
  });
});
