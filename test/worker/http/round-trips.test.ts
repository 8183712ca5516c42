import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";

import { composeServices } from "../../../src/compose.ts";
import { createApp } from "../../../src/http/app.ts";
import { countedBindings } from "../../support/counted-bindings.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { ORIGIN, signedIn, withToken } from "../../support/worker-client.ts";

const app = createApp(composeServices);
let token: string;
let cookie: string;
let now: number;

beforeAll(async () => {
  const panel = await signedIn();
  await panel.folderWithRag("Notes");
  const model = "embedded/extractive";
  const asking = { name: "Ask", systemPrompt: "Answer.", model, rags: ["notes"] };
  await panel.send("POST", "/inferences", asking);
  const groups = { agents: [], inferences: ["ask"], rags: ["notes"] };
  ({ token } = await panel.create("/tokens", { name: "Reader", ...groups }));
  await panel.put("/file-sources/notes/files/note.md", "# Note\n\nHeather flowers in August.");
  await queuesSettled();
  // The first use of a minute is noted beside the answer.
  await withToken(token).get("/rags/notes");
  ({ cookie } = panel);
  now = Date.now();
});

/** Each test begins as an isolate that knows nobody. */
beforeEach(() => {
  // Callers are known for seconds, which a slow machine may need for two requests.
  vi.useFakeTimers({ toFake: ["Date"], now });
  composeServices(env, createExecutionContext()).recentLookups.forget();
});

/** Lists the operations before the answer; work in the background makes nobody wait. */
async function tripsOf(
  method: string,
  path: string,
  body?: unknown,
  credential: Record<string, string> = { Authorization: `Bearer ${token}` },
) {
  const recorder = countedBindings(env);
  const context = createExecutionContext();
  const request = new Request(`${ORIGIN}/api${path}`, {
    method,
    headers: credential,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const response = await app.fetch(request, recorder.env, context);
  await response.text();
  const trips = [...recorder.trips];
  sessions = recorder.operations.flatMap(({ binding, session }) =>
    binding === "D1" ? [session] : [],
  );
  await waitOnExecutionContext(context);
  expect(response.status).toBe(200);
  return trips;
}

/** How the last request's reads stood in D1's sessions. */
let sessions: string[] = [];

const WINDOW = "RATE_WINDOW take";
/** The built-in index reads the best of its results in the same call. */
const SEARCH = ["RAG_INDEX search"];
const question = { semanticSearch: ["when does heather flower", "august", "moor"], topK: 100 };

test("a list of RAGs or inferences is the window and one batch", async () => {
  expect(await tripsOf("GET", "/rags")).toEqual([WINDOW, "D1 batch"]);
  expect(await tripsOf("GET", "/inferences")).toEqual([WINDOW, "D1 batch"]);
  expect(await tripsOf("GET", "/rags/notes")).toEqual([WINDOW, "D1 batch"]);
});

test("a retrieval is three round trips, whatever the number of queries", async () => {
  const trips = await tripsOf("POST", "/rags/notes/retrieve", question);
  expect(trips).toEqual([WINDOW, "D1 batch", ...SEARCH]);
  const context = await tripsOf("POST", "/inferences/ask/retrieve", question);
  expect(context).toEqual([WINDOW, "D1 batch", ...SEARCH]);
});

test("for a caller who was looked up just now, a retrieval is one round trip less", async () => {
  const ask = async (path: string) => await tripsOf("POST", `${path}/retrieve`, question);
  for (const path of ["/rags/notes", "/inferences/ask"]) {
    expect(await ask(path)).toContain("D1 batch");
    expect(await ask(path)).toEqual([WINDOW, ...SEARCH]);
  }
  // Facts about a resource are read each time.
  expect(await tripsOf("GET", "/rags/notes")).toEqual([WINDOW, "D1 batch"]);
});

test("while an index is rebuilt, its RAG is looked up before each retrieval", async () => {
  const building = env.DB.prepare(
    `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions,
       chunk_size, chunk_overlap, format, created_at)
     select rag_id, 7, 'building', embedding_model, dimensions, chunk_size, chunk_overlap, format, 0
     from rag_generations`,
  );
  await building.run();
  for (const path of ["/rags/notes", "/inferences/ask"]) {
    for (let time = 0; time < 2; time++) {
      const trips = await tripsOf("POST", `${path}/retrieve`, question);
      expect(trips).toEqual([WINDOW, "D1 batch", ...SEARCH]);
    }
  }
  await env.DB.prepare("delete from rag_generations where generation = 7").run();
});

test("a session costs no more than a token", async () => {
  const session = { Cookie: cookie, Origin: ORIGIN };
  const trips = await tripsOf("POST", "/rags/notes/retrieve", question, session);
  expect(trips).toEqual([WINDOW, "D1 batch", ...SEARCH]);
});

test("a spending limit adds one round trip to a search that it applies to", async () => {
  const limit = async (id: string, kind: string, subject: string) => {
    const insertion =
      "insert into spending_limits values (?, ?, ?, 1000000, 'modelTokens', 'day', 0)";
    await env.DB.prepare(insertion).bind(id, kind, subject).run();
  };
  const search = () => tripsOf("POST", "/rags/notes/retrieve", question);
  await limit("other", "token", "another");
  expect(await search()).toEqual([WINDOW, "D1 batch", ...SEARCH]);
  composeServices(env, createExecutionContext()).recentLookups.forget();
  await limit("service", "service", "");
  // Nobody waits for the settlement.
  const blockingTrips = (trips: string[]) => trips.filter((trip) => !trip.endsWith("settle"));
  const reserve = "SPENDING_LEDGER reserve";
  expect(blockingTrips(await search())).toEqual([WINDOW, "D1 batch", reserve, ...SEARCH]);
  expect(blockingTrips(await search())).toEqual([WINDOW, reserve, ...SEARCH]);
  await env.DB.prepare("delete from spending_limits").run();
});

test("a page of files is the window, one batch, and the page", async () => {
  expect(await tripsOf("GET", "/rags/notes/files?page=1")).toEqual([
    WINDOW,
    "D1 batch",
    "D1 batch",
  ]);
  expect(await tripsOf("GET", "/inferences/ask/files?page=1")).toEqual([
    WINDOW,
    "D1 batch",
    "D1 batch",
  ]);
});

test("credentials are read from the primary, the rest from a replica as fresh", async () => {
  const [alone, consecutive] = [["first-primary 1"], ["first-primary 1", "first-primary 2"]];
  for (const path of ["/rags", "/inferences", "/rags/notes"]) {
    await tripsOf("GET", path);
    expect(sessions).toEqual(alone);
  }
  for (const path of ["/rags/notes/files?page=1", "/inferences/ask/files?page=1"]) {
    await tripsOf("GET", path);
    expect(sessions).toEqual(consecutive);
  }
  await tripsOf("POST", "/rags/notes/retrieve", question);
  expect(sessions).toEqual(alone);
});
