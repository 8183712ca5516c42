/**
 * Every failure × every place: what a caller gets, what of it a bearer sees, and what an
 * administrator does. Beside the model itself nothing fails a call.
 */
import { beforeAll, describe, expect, test } from "vitest";

import { vectorizeIndex } from "../../../src/adapters/cloudflare/vectorize-index.ts";
import type { RagRecord } from "../../../src/db/records.ts";
import type { InferenceServices } from "../../../src/inference/types.ts";
import type { VectorIndex } from "../../../src/ports/vector-index.ts";
import { SECRET_BODY, type Failure } from "../../doubles/openai-compatible/failures.ts";
import { factsOf, versionOf } from "../rag-index/support.ts";
import { failing, HOLIDAY, indexedHandbook, PASSAGES, searchedBy, see } from "./failing.ts";

const PLACES = ["embedding", "vector index", "index object", "rerank", "chat"] as const;
type Place = (typeof PLACES)[number];

/** How an administrator is told of what failed there; a chat's failure is a 502 for everybody. */
const TOLD_AS: Record<Place, string> = {
  embedding: "embedding: ",
  "vector index": "vector index: ",
  "index object": "index: ",
  rerank: "reranker: ",
  chat: "Model call failed: ",
};

const broken = "the connection broke";
const noKey = "\\(the key is missing or wrong\\)";
const schema = "the answer does not follow the JSON Schema";
const silent = "no answer | no answer | no answer | no answer | no answer after \\d+ ms";

/** In the order of the places; "-" cannot happen: no text of a model is read there, or no bytes. */
const TABLE: [name: string, Failure, cells: string][] = [
  [
    "429, Retry-After: 30",
    { kind: "status", status: 429, retryAfter: "30" },
    "429 | failed | failed | 429 | provider answered 429",
  ],
  ["500", { kind: "status", status: 500 }, "500 | failed | failed | 500 | provider answered 500"],
  [
    "401",
    { kind: "status", status: 401 },
    `401 ${noKey} | - | - | 401 ${noKey} | provider answered 401 ${noKey}`,
  ],
  ["hangs", { kind: "hang" }, silent],
  ["drips", { kind: "drip" }, "no answer | - | - | no answer | no answer after \\d+ ms"],
  [
    "refuses the connection",
    { kind: "refused" },
    "connection failed | failed | failed | connection failed | connection failed",
  ],
  ["cuts the connection", { kind: "cut" }, `${broken} | failed | failed | ${broken} | ${broken}`],
  [
    "malformed JSON",
    { kind: "malformed" },
    "unreadable reply | - | - | unreadable reply | unreadable reply",
  ],
  [
    "a reply of another form",
    { kind: "wrong-form" },
    "unreadable reply | failed | - | unreadable reply | unreadable reply",
  ],
  [
    "an empty reply",
    { kind: "empty-choices" },
    "incomplete reply | - | - | incomplete reply | unreadable reply",
  ],
  ...(["wrong-schema", "refusal", "unknown-tool", "bad-arguments"] as const).map(
    (kind): [string, Failure, string] => [kind, { kind }, `- | - | - | - | ${schema}`],
  ),
];

let rag: RagRecord;
let vectors: { id: string; score: number }[];

beforeAll(async () => {
  rag = await indexedHandbook();
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

const DOUBLED = {
  embedding: "embeddings",
  "vector index": "index",
  "index object": "index",
  rerank: "rerank",
  chat: "chat",
} as const;

/** A service where everything works but one place. */
function failingAt(place: Place | null, failure: Failure) {
  const { world } = failing(place === null ? null : DOUBLED[place], failure);
  const services: InferenceServices = {
    ...world.services,
    vectorIndex: vectorIndexOf(place === "vector index" ? failure : null),
  };
  if (place !== "index object") return { world, services };
  return { world, services: searchedBy(services, () => failedBinding(failure)) };
}

const jsonSchema = JSON.stringify({ type: "object", required: ["answer"] });

test("nothing fails: nothing is degraded", async () => {
  const { services } = failingAt(null, { kind: "hang" });
  expect(await see(services, rag, { jsonSchema })).toEqual({
    status: 200,
    error: null,
    bearer: {},
    administrator: {},
    items: PASSAGES,
  });
});

const CELLS = TABLE.flatMap(([name, failure, cells]) => {
  const reasons = cells.split(" | ");
  return PLACES.flatMap((place, at) => {
    const reason = reasons[at] ?? "-";
    return reason === "-" ? [] : [{ name, failure, place, message: TOLD_AS[place] + reason }];
  });
});

describe.each(PLACES)("%s", (place) => {
  const cells = CELLS.filter((cell) => cell.place === place);
  test.each(cells)("$name", async ({ failure, message }) => {
    const { world, services } = failingAt(place, failure);
    const view = await see(services, rag, { jsonSchema });
    expect(JSON.stringify(view)).not.toContain("sk-secret-key");
    if (place === "chat") {
      expect(view).toMatchObject({ status: 502, bearer: {}, administrator: {} });
      expect(view.error).toMatch(new RegExp(`^${message}$`));
    } else {
      expect(view).toMatchObject({ status: 200, error: null });
      // Passages are read from the index: without it there are none.
      expect(view.items[0]).toBe(place === "index object" ? undefined : HOLIDAY);
      expect(view.bearer).toEqual({ degraded: { occurred: true } });
      const pattern = expect.stringMatching(new RegExp(`^${message} after \\d+ ms$`)) as string;
      expect(view.administrator).toEqual({ degraded: { occurred: true, message: pattern } });
    }
    await world.settled();
    const outcome = place === "chat" ? "error" : "degraded";
    expect(world.usage).toMatchObject([{ outcome, model: "local/chat" }]);
  });
});
