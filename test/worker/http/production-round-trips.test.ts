import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";

import { createToken } from "../../../src/access/tokens/create-token.ts";
import { composeServices } from "../../../src/compose.ts";
import type { Env } from "../../../src/env.ts";
import { createApp } from "../../../src/http/app.ts";
import { countedBindings, roundsOf } from "../../support/counted-bindings.ts";
import { World } from "../../support/ingestion-world.ts";
import { productionDoubles } from "../../support/production-doubles.ts";
import { ORIGIN } from "../../support/worker-client.ts";

/** Calls that run side by side end together, whichever is quicker by itself. */
const DELAY_MS = 25;
const production: Env = Object.assign({ ...env }, productionDoubles(0));

const app = createApp(composeServices);
let world: World;
let rag: string;
let token: string;
let now: number;

beforeAll(async () => {
  const { config, models, vectorIndex } = composeServices(production, createExecutionContext());
  world = new World({ config, models, vectorIndex });
  const source = await world.addSource();
  rag = await world.addRag(source);
  await env.DB.prepare("update rags set reranker = ?").bind(RERANKER).run();
  for (const [path, text] of Object.entries(NOTES)) await world.put(source, path, text);
  await world.deliver();
  await env.DB.batch([
    env.DB.prepare(
      `insert into inferences (id, name, identifier, system_prompt, model, created_at)
       values ('ask', 'Ask', 'ask', 'Answer.', 'workers-ai/@cf/zai-org/glm-4.7-flash', 0)`,
    ),
    env.DB.prepare("insert into inference_rags values ('ask', ?)").bind(rag),
  ]);
  // Not over the panel: the Worker behind it has other models, and would build the index anew.
  const groups = { agents: [], inferences: ["ask"], rags: [rag] };
  const creation = await createToken(world.services, {
    name: "Reader",
    manageScopes: true,
    expiresAt: null,
    ...groups,
  });
  token = creation.secret;
  now = Date.now();
  await tripsOf("GET", "/rags");
});

// The first use of a minute is noted beside the answer, and callers are known for seconds: the
// clock stands, or a slow machine would count other round trips.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now });
});

const RERANKER = "workers-ai/@cf/baai/bge-reranker-base";
const NOTES = {
  "heather.txt": "Heather flowers in August on the moor.",
  "sundew.txt": "Sundew catches flies in wet places.",
};
const question = { semanticSearch: ["when does heather flower", "flies"], topK: 20 };

/** As an isolate that knows nobody. */
const forgetCallers = () => composeServices(env, createExecutionContext()).recentLookups.forget();

async function tripsOf(method: string, path: string, body?: unknown) {
  const recorder = countedBindings(production, { delayMs: DELAY_MS });
  const context = createExecutionContext();
  const request = new Request(`${ORIGIN}/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const response = await app.fetch(request, recorder.env, context);
  const answer: unknown = await response.json();
  const rounds = roundsOf(recorder.operations);
  const trips = [...recorder.trips];
  await waitOnExecutionContext(context);
  expect(response.status).toBe(200);
  expect(answer).not.toHaveProperty("degraded");
  return { answer, trips, rounds };
}

test("a retrieval is five round trips, with reranking six; four and five if known", async () => {
  // Vectors are in flight, which makes no other trip.
  forgetCallers();
  const plain = await tripsOf("POST", `/rags/${rag}/retrieve`, question);
  const search = [
    "AI run",
    "RAG_INDEX search",
    "RATE_WINDOW take",
    // Both queries, and their joined text.
    ...Array<string>(3).fill("VECTORIZE query"),
  ];
  expect(plain.trips.toSorted()).toEqual(["D1 batch", ...search].toSorted());
  expect(plain.rounds).toBeLessThanOrEqual(5);
  expect(plain.answer).toMatchObject({ chunks: [{ text: NOTES["heather.txt"] }, {}] });
  const warmCall = await tripsOf("POST", `/rags/${rag}/retrieve`, question);
  expect(warmCall.trips.toSorted()).toEqual(search);
  expect(warmCall.rounds).toBeLessThanOrEqual(4);
  expect(warmCall.answer).toEqual(plain.answer);

  const reranked = { ...question, useReranking: true };
  const rerankedCall = await tripsOf("POST", `/rags/${rag}/retrieve`, reranked);
  expect(rerankedCall.rounds).toBeLessThanOrEqual(5);
  expect(rerankedCall.trips.length).toBeGreaterThan(warmCall.trips.length);
  forgetCallers();
  const { rounds } = await tripsOf("POST", `/rags/${rag}/retrieve`, reranked);
  expect(rounds).toBeLessThanOrEqual(6);
});

test("an inference adds the model call and nothing else that is waited for", async () => {
  const run = { ...question, prompt: "When does heather flower?" };
  const reranked = { ...run, useReranking: true };
  const roundsOfRun = async (body: object) =>
    (await tripsOf("POST", "/inferences/ask", body)).rounds;
  expect(await roundsOfRun(run)).toBeLessThanOrEqual(6);
  expect(await roundsOfRun(run)).toBeLessThanOrEqual(5);
  expect(await roundsOfRun(reranked)).toBeLessThanOrEqual(6);
  forgetCallers();
  expect(await roundsOfRun(reranked)).toBeLessThanOrEqual(7);
});

test("lists are two", async () => {
  for (const path of ["/rags", "/inferences", `/rags/${rag}`]) {
    expect((await tripsOf("GET", path)).rounds).toBe(2);
  }
});
