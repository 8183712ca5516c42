import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test, vi } from "vitest";

import { composeServices } from "../../../src/compose.ts";
import { createApp } from "../../../src/http/app.ts";
import { countedBindings } from "../../support/counted-bindings.ts";
import { call, ORIGIN, signedIn, withToken } from "../../support/worker-client.ts";

const app = createApp(composeServices);
const INDEXED_WITHIN_MS = 20_000;
let token: string;
let cookie: string;

beforeAll(async () => {
  const panel = await signedIn();
  await panel.send("POST", "/file-sources", { name: "Notes", provider: "file_system" });
  await panel.send("POST", "/rags", { name: "Notes", fileSource: "notes" });
  const model = "embedded/extractive";
  const asking = { name: "Ask", systemPrompt: "Answer.", model, rags: ["notes"] };
  await panel.send("POST", "/inferences", asking);
  const groups = { agents: [], inferences: ["ask"], rags: ["notes"] };
  const made = await panel.send("POST", "/tokens", { name: "Reader", ...groups });
  token = (made.body as { token: string }).token;
  await panel.put("/file-sources/notes/files/note.md", "# Note\n\nHeather flowers in August.");
  const api = withToken(token);
  await vi.waitFor(
    async () => {
      const { body } = await api.get("/rags/notes");
      expect(body).toMatchObject({ processedFiles: 1 });
    },
    { timeout: INDEXED_WITHIN_MS, interval: 50 },
  );
  const credentials = { email: "admin@localhost", password: "quarry" };
  const session = await call("POST", "/panel/api/session", { body: JSON.stringify(credentials) });
  cookie = session.headers.get("Set-Cookie")?.split(";", 1)[0] ?? "";
});

/** What was asked before the answer; what follows in the background makes nobody wait. */
async function tripsOf(
  method: string,
  path: string,
  body?: unknown,
  credential: Record<string, string> = { Authorization: `Bearer ${token}` },
) {
  const counted = countedBindings(env);
  const context = createExecutionContext();
  const request = new Request(`${ORIGIN}/api${path}`, {
    method,
    headers: credential,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const response = await app.fetch(request, counted.env, context);
  await response.text();
  const trips = [...counted.trips];
  sessions = counted.operations.flatMap(({ binding, session }) =>
    binding === "D1" ? [session] : [],
  );
  await waitOnExecutionContext(context);
  expect(response.status).toBe(200);
  return trips;
}

/** How the last request's reads stood in D1's sessions. */
let sessions: string[] = [];

const WINDOW = "RATE_WINDOW take";
const SEARCH = ["RAG_INDEX candidates", "RAG_INDEX hydrate"];
const question = { semanticSearch: ["when does heather flower", "august", "moor"], topK: 100 };

test("a list of RAGs or inferences is the window and one batch", async () => {
  expect(await tripsOf("GET", "/rags")).toEqual([WINDOW, "D1 batch"]);
  expect(await tripsOf("GET", "/inferences")).toEqual([WINDOW, "D1 batch"]);
  expect(await tripsOf("GET", "/rags/notes")).toEqual([WINDOW, "D1 batch"]);
});

test("a retrieval is four round trips, whatever the number of queries", async () => {
  const trips = await tripsOf("POST", "/rags/notes/retrieve", question);
  expect(trips).toEqual([WINDOW, "D1 batch", ...SEARCH]);
  const context = await tripsOf("POST", "/inferences/ask/retrieve", question);
  expect(context).toEqual([WINDOW, "D1 batch", ...SEARCH]);
});

test("a session costs no more than a token", async () => {
  const session = { Cookie: cookie, Origin: ORIGIN };
  const trips = await tripsOf("POST", "/rags/notes/retrieve", question, session);
  expect(trips).toEqual([WINDOW, "D1 batch", ...SEARCH]);
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
  const [alone, followed] = [["first-primary 1"], ["first-primary 1", "first-primary 2"]];
  for (const path of ["/rags", "/inferences", "/rags/notes"]) {
    await tripsOf("GET", path);
    expect(sessions).toEqual(alone);
  }
  for (const path of ["/rags/notes/files?page=1", "/inferences/ask/files?page=1"]) {
    await tripsOf("GET", path);
    expect(sessions).toEqual(followed);
  }
  await tripsOf("POST", "/rags/notes/retrieve", question);
  expect(sessions).toEqual(alone);
});
