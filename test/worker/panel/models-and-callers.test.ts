import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";

import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn, withToken, outcomeOf } from "../../support/worker-client.ts";

const admin = await signedIn();
await admin.send("POST", "/file-sources", { name: "Docs", provider: "file_system" });
for (const name of ["One", "Two"]) await admin.send("POST", "/rags", { name, fileSource: "docs" });
afterAll(queuesSettled);

const base = { systemPrompt: "Be brief.", model: "embedded/extractive" };

test("an inference is made with defaults, changed field by field, and removed", async () => {
  const response = await admin.send("POST", "/inferences", {
    name: "Answer",
    ...base,
    rags: ["two", "one"],
  });
  expect(response).toMatchObject({ status: 201 });
  expect(response.body).toEqual({
    id: expect.any(String),
    name: "Answer",
    identifier: "answer",
    nativeRag: true,
    conversation: "rewrite",
    planning: "off",
    systemPrompt: "Be brief.",
    model: "embedded/extractive",
    rags: ["one", "two"],
    temperature: null,
    maxOutputTokens: null,
    openToMembers: false,
    createdAt: expect.any(String),
  });
  const asking = { nativeRag: false, conversation: "last-message", planning: "on" };
  const change = { temperature: 0.5, maxOutputTokens: 100, rags: ["two"], ...asking };
  const patched = await admin.send("PATCH", "/inferences/answer", change);
  expect(patched.body).toEqual({ ...(response.body as object), ...change });
  const back = await admin.send("PATCH", "/inferences/answer", { temperature: null });
  expect(back.body).toMatchObject({ temperature: null, maxOutputTokens: 100, rags: ["two"] });
  expect((await admin.send("GET", "/inferences/answer")).body).toEqual(back.body);
  const page = await admin.send("GET", "/inferences");
  expect(page.body).toEqual({ data: [back.body], total: 1, page: 1, limit: 20 });
  expect((await admin.send("PATCH", "/inferences/answer", { identifier: "b" })).status).toBe(400);
  expect((await admin.send("DELETE", "/inferences/answer")).status).toBe(204);
  expect((await admin.send("GET", "/inferences/answer")).status).toBe(404);
});

test("an agent has a description and a number of steps", async () => {
  const response = await admin.send("POST", "/agents", { name: "Helper", ...base, rags: ["one"] });
  expect(response).toMatchObject({
    status: 201,
    body: { identifier: "helper", description: "", maxSteps: 5, rags: ["one"] },
  });
  const patched = await admin.send("PATCH", "/agents/helper", {
    maxSteps: 10,
    description: "Helps",
  });
  expect(patched.body).toMatchObject({ maxSteps: 10, description: "Helps", rags: ["one"] });
  expect(outcomeOf(await admin.send("PATCH", "/agents/helper", { maxSteps: 11 }))).toBe(
    "400 Invalid request: maxSteps must be at most 10",
  );
  expect(outcomeOf(await admin.send("POST", "/agents", { name: "Helper", ...base }))).toBe(
    "409 Identifier is taken: send another one as identifier",
  );
  expect((await admin.send("GET", "/agents")).body).toMatchObject({ total: 1 });
  expect(outcomeOf(await admin.send("DELETE", "/rags/one"))).toBe(
    "409 RAG is linked by agents helper",
  );
  expect((await admin.send("DELETE", "/agents/helper")).status).toBe(204);
});

test.each([
  [{}, "name is required; systemPrompt is required; model is required"],
  [
    { name: "x", ...base, temperature: 3, maxOutputTokens: 0, rags: "one" },
    "rags must be an array; temperature must be at most 2; maxOutputTokens must be at least 1",
  ],
  [{ name: "x", ...base, rags: ["one", "three", "four"] }, "rags: there is no three, four"],
  [
    { name: "x", ...base, model: "gpt" },
    "model must be named provider/name, such as local/llama3.2",
  ],
  [
    { name: "x", ...base, model: "local/llama", rags: ["one", "three"] },
    "model: Model local/llama needs the setting OPENAI_COMPATIBLE_BASE_URL, or a server named local under Settings, Models and prices; rags: there is no three",
  ],
])("an inference of %j is refused", async (body, problems) => {
  const answer = await admin.send("POST", "/inferences", body);
  expect(outcomeOf(answer)).toBe(`400 Invalid request: ${problems}`);
});

test("a token is shown once, covers what it names, and stops when it is removed", async () => {
  await admin.send("POST", "/inferences", { name: "Named", ...base });
  const { token, ...publicFields } = await admin.create("/tokens", {
    name: "Service",
    rags: ["two", "one"],
    inferences: ["*"],
  });
  expect(token).toMatch(/^qry_[0-9A-Za-z]{38}$/);
  expect(publicFields).toEqual({
    id: expect.any(String),
    name: "Service",
    agents: [],
    inferences: ["*"],
    rags: ["one", "two"],
    createdAt: expect.any(String),
    expiresAt: null,
    lastUsedAt: null,
    manageScopes: true,
    reader: null,
    kind: "token",
  });
  const page = await admin.send("GET", "/tokens");
  expect(page.body).toMatchObject({ data: [publicFields], total: 1 });
  const { results } = await env.DB.prepare("select * from tokens").all();
  expect(JSON.stringify([page.body, results])).not.toContain(token.slice(4));

  expect((await withToken(token).get("/rags/one")).status).toBe(200);
  expect((await admin.send("DELETE", `/tokens/${publicFields.id}`)).status).toBe(204);
  expect((await withToken(token).get("/rags/one")).status).toBe(401);
  expect((await admin.send("DELETE", `/tokens/${publicFields.id}`)).status).toBe(404);
});

test("a token that names what does not exist, or * beside names, is refused", async () => {
  const unknown = { name: "x", rags: ["one", "nine"], agents: ["nobody"] };
  expect(outcomeOf(await admin.send("POST", "/tokens", unknown))).toBe(
    "400 Invalid request: agents: there is no nobody; rags: there is no nine",
  );
  const mixed = { rags: ["*", "one"], expiresAt: "soon" };
  expect(outcomeOf(await admin.send("POST", "/tokens", mixed))).toBe(
    "400 Invalid request: name is required; rags must be * alone, or a list without *; expiresAt must be an ISO 8601 day, or a time with its zone",
  );
});

test("the list of models is replaced as a whole", async () => {
  const models = [
    { model: "openai/gpt-5", kind: "chat", inputPrice: 1.25, outputPrice: 10, currency: "USD" },
    { model: "embedded/hash", kind: "embedding", inputPrice: 0, outputPrice: 0, currency: "EUR" },
  ];
  expect((await admin.send("PUT", "/models", models)).body).toEqual(models);
  const dearer = [{ ...models[0], inputPrice: 2 }, models[1]];
  const field = "chat openai/gpt-5";
  for (const [list, changes] of [
    [dearer, [{ field, from: "1.25 / 10 USD", to: "2 / 10 USD" }]],
    [models.slice(1), [{ field, from: "2 / 10 USD" }]],
    [models.slice(1), []],
  ]) {
    expect((await admin.send("PUT", "/models", list)).body).toEqual(list);
    const trail = await admin.send("GET", "/audit?limit=1&action=models.put");
    expect(trail.body).toMatchObject({ data: [{ changes }] });
  }
  expect((await admin.send("GET", "/models")).body).toEqual(models.slice(1));
  expect(outcomeOf(await admin.send("PUT", "/models", [...models, models[0]]))).toBe(
    "400 Invalid request: [2].model openai/gpt-5 is listed twice",
  );
  const kinds = models.map((entry) => ({ ...entry, model: "local/both" }));
  expect((await admin.send("PUT", "/models", kinds)).body).toEqual(kinds);
  await admin.send("PUT", "/models", models.slice(1));
  expect(outcomeOf(await admin.send("PUT", "/models", [{ ...models[0], inputPrice: -1 }]))).toBe(
    "400 Invalid request: [0].inputPrice must be at least 0",
  );
  expect((await admin.send("PUT", "/models", {})).status).toBe(400);
  expect((await admin.send("GET", "/models")).body).toEqual(models.slice(1));
});

test("an unknown route of the panel is 404, for the one who may ask", async () => {
  expect(outcomeOf(await admin.send("GET", "/nothing"))).toBe("404 Not found");
});

test("unknown fields are refused by their paths, at any depth", async () => {
  const refusalOf = async (method: string, path: string, body: unknown) =>
    outcomeOf(await admin.send(method, path, body));
  const rag = { name: "Typo", fileSource: "docs", chunksize: 300, reranking: true, topK: 3 };
  expect(await refusalOf("POST", "/rags", rag)).toBe(
    "400 Invalid request: chunksize is not known (did you mean chunkSize?); reranking is not known (did you mean reranker?); topK is not known",
  );
  const scoped = { ...rag, chunksize: undefined, reranking: undefined, topK: undefined };
  expect(
    await refusalOf("POST", "/rags", { ...scoped, scopes: [{ type: "path", val: "a/" }] }),
  ).toBe(
    "400 Invalid request: scopes[0].value is required; scopes[0].val is not known (did you mean value?)",
  );
  expect(await refusalOf("POST", "/tokens", { name: "T", rag: ["*"], manage_scopes: false })).toBe(
    "400 Invalid request: rag is not known (did you mean rags?); manage_scopes is not known (did you mean manageScopes?)",
  );
  const web = { name: "Site", provider: "web", config: { startUrl: [] }, interval: 5 };
  expect(await refusalOf("POST", "/file-sources", web)).toContain(
    "config.startUrl is not known (did you mean startUrls?)",
  );
  expect((await admin.send("GET", "/rags?limit=100")).body).toMatchObject({ total: 2 });
});

test("scopes added by the API count against the panel's maximum", async () => {
  const response = await admin.send("POST", "/rags", {
    name: "Full",
    fileSource: "docs",
    scopeMode: "scoped",
  });
  const { id } = response.body as { id: string };
  const { token } = await admin.create("/tokens", { name: "Fills", rags: ["full"] });
  const { post } = withToken(token);
  await env.DB.prepare(
    `insert into rag_scopes (rag_id, type, value, created_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 9999)
     select ?, 'path', 'folder' || i || '/', 0 from n`,
  )
    .bind(id)
    .run();
  const add = async (value: string) => await post("/rags/full/scopes", { type: "path", value });
  expect((await add("last/")).status).toBe(200);
  expect(outcomeOf(await add("one-more/"))).toBe(
    "400 Invalid request: scopes must have at most 10000 items",
  );
  expect((await add("last/")).status).toBe(409);
  expect((await admin.send("DELETE", "/rags/full")).status).toBe(204);
});
