import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { Dice } from "../../support/dice.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { SEED } from "../../support/seed.ts";
import { outcomeOf, withKey } from "../../support/worker-client.ts";
import {
  admin,
  applied,
  apply,
  beginAsAdmin,
  bucket,
  CREDENTIALS,
  NOTHING,
  pull,
} from "./config-world.ts";
import { randomService, SERVICE, type Settings, UNCHANGED } from "./config-world.ts";

beforeAll(beginAsAdmin);
afterAll(queuesSettled);

beforeEach(async () => {
  await applied(NOTHING, "prune=true");
  await applied(SERVICE);
});

test("what is pulled makes an equal service elsewhere, once", async () => {
  const pulled = await pull();
  expect(pulled).toMatchObject({
    rags: { part: { scopes: [{ value: "a/" }, { value: "b/" }], fileSource: "docs" } },
    inferences: { ask: { rags: ["part", "whole"] } },
    fileSources: { bucket: { config: { credentials: { env: "BUCKET_CREDENTIALS" } } } },
  });
  expect(JSON.stringify(pulled)).not.toContain("not to be shown");
  await applied(NOTHING, "prune=true");
  expect(await pull()).toEqual(NOTHING);
  expect((await applied(pulled, "dryRun=true")).made).toHaveLength(12);
  expect(await pull()).toEqual(NOTHING);
  const whole = structuredClone(pulled);
  Object.assign(whole["fileSources"]?.["bucket"] ?? {}, bucket(CREDENTIALS));
  expect(await applied(whole)).toMatchObject({ changed: [], unlisted: [] });
  expect(await pull()).toEqual(pulled);
  expect(await applied(pulled, "prune=true")).toEqual(UNCHANGED);
  expect(await applied(SERVICE)).toMatchObject({ made: [], unlisted: [] });
});

test.each([1, 2, 3])("a random service is the same after pull and apply (%i)", async (seed) => {
  const service = randomService(new Dice(SEED + seed));
  await applied(service, "prune=true");
  const pulled = await pull();
  expect(pulled).toMatchObject({ prices: service["prices"] });
  expect(await applied(service, "prune=true")).toEqual(UNCHANGED);
  await applied(NOTHING, "prune=true");
  await applied(pulled);
  expect(await pull()).toEqual(pulled);
  expect(await applied(pulled, "prune=true")).toEqual(UNCHANGED);
});

test("a change is told field by field, old and new, and recorded as any other", async () => {
  const change = {
    rags: { whole: { chunkSize: 300 } },
    fileSources: {
      web: { config: { maxDepth: 2 } },
      bucket: bucket({ ...CREDENTIALS, accessKeyId: "B" }),
    },
    prices: { "chat openai/m": { inputPrice: 3 } },
    agents: { agent: { rags: [] } },
  };
  const expected = {
    made: [],
    changed: [
      { thing: "fileSources.web", fields: [{ field: "config.maxDepth", from: 1, to: 2 }] },
      { thing: "fileSources.bucket", fields: expect.any(Array) },
      { thing: "rags.whole", fields: [{ field: "chunkSize", from: 200, to: 300 }] },
      { thing: "agents.agent", fields: [{ field: "rags", from: ["part"], to: [] }] },
      { thing: "prices.chat openai/m", fields: [{ field: "inputPrice", from: 1, to: 3 }] },
    ],
    unlisted: expect.any(Array),
  };
  const dry = await apply(change, "dryRun=true");
  expect(dry.body).toEqual(expected);
  expect(JSON.stringify(dry.body)).not.toContain("not to be shown");
  expect((await applied(change)).changed).toHaveLength(5);
  expect(await pull()).toMatchObject({
    fileSources: { web: { config: { maxDepth: 2 } } },
    rags: { whole: { chunkSize: 300, chunkOverlap: 60 } },
    prices: { "chat openai/m": { inputPrice: 3, outputPrice: 2.5 } },
  });
  const audit = await admin.send("GET", "/audit?limit=20");
  const { data } = audit.body as { data: { action: string; target: string; changes: unknown }[] };
  expect(data.find(({ action }) => action === "rags.change")).toMatchObject({
    target: "whole",
    changes: [{ field: "chunkSize", from: 200, to: 300 }],
  });
  const actions = data.map(({ action }) => action);
  expect(
    actions.filter((action) => action.endsWith(".change") || action === "models.put"),
  ).toHaveLength(6);
});

test("a token's limit is named by the token, which has another id elsewhere", async () => {
  const { id } = await admin.create("/tokens", { name: "Night job", rags: ["*"] });
  const limit = { "token Night job calls day": { amount: 3 } };
  const limits = { ...SERVICE.limits, ...limit };
  expect((await applied({ limits })).made).toEqual(["limits.token Night job calls day"]);
  expect((await pull())["limits"]).toEqual(limits);
  // Files of before name its id.
  const file = { ...SERVICE.limits, [`token ${id} calls day`]: { amount: 3 } };
  for (const document of [limits, file]) {
    expect(await applied({ limits: document }, "prune=true")).toEqual(UNCHANGED);
  }
  await admin.create("/tokens", { name: "Night job", rags: ["*"] });
  const refusal = await apply({ limits: { "token Night job usd day": { amount: 1 } } });
  expect(outcomeOf(refusal)).toContain("several tokens are called Night job; use an id");
});

test("only prune removes, what depends on others first, and of named kinds only", async () => {
  const { agents: _agents, questionSets: _sets, ...rest } = SERVICE;
  const without = { ...rest, inferences: {}, rags: { part: SERVICE.rags.part } };
  expect((await applied(without)).unlisted).toEqual(["inferences.ask", "rags.whole"]);
  expect(await pull()).toMatchObject({ rags: { whole: {} }, inferences: { ask: {} } });
  const refusal = await apply(without, "prune=true");
  expect(outcomeOf(refusal)).toBe(
    "400 Invalid request: inferences.ask is in use by questionSets.questions; limits.inference ask calls day.subject.id: there is no inferences.ask",
  );
  await applied({ ...without, questionSets: {}, limits: {} }, "prune=true");
  expect(await pull()).toMatchObject({
    ...NOTHING,
    fileSources: {},
    rags: {},
    agents: {},
    prices: {},
  });
  expect(Object.keys((await pull())["rags"] ?? {})).toEqual(["part"]);
});

const RAG = { name: "R", fileSource: "docs" };

test.each([
  ["an unknown kind", { rag: {} }, "rag is not known (did you mean rags?)"],
  ["no map", { rags: [] }, "rags must be an object"],
  [
    "an unknown field",
    { rags: { whole: { chunksize: 1 } } },
    "rags.whole.chunksize is not known (did you mean chunkSize?)",
  ],
  [
    "a wrong value",
    { rags: { whole: { chunkSize: 1 } } },
    "rags.whole.chunkSize must be at least 16",
  ],
  [
    "a new thing without its name",
    { rags: { new: { fileSource: "docs" } } },
    "rags.new.name is required",
  ],
  [
    "an identifier that is none",
    { rags: { "A b": RAG } },
    "rags.A b.identifier must be lower-case letters and digits, joined by single hyphens",
  ],
  [
    "an identifier in the value",
    { rags: { x: { ...RAG, identifier: "y" } } },
    "rags.x.identifier is said by the key of the value",
  ],
  [
    "another source of a RAG",
    { rags: { whole: { fileSource: "web" } } },
    "rags.whole.fileSource cannot be changed",
  ],
  [
    "a RAG of no source",
    { rags: { new: { ...RAG, fileSource: "no" } } },
    "rags.new.fileSource: there is no fileSources.no",
  ],
  [
    "an inference of no RAG",
    { inferences: { ask: { rags: ["no"] } } },
    "inferences.ask.rags: there is no rags.no",
  ],
  [
    "an overlap of more than half",
    { rags: { whole: { chunkOverlap: 150 } } },
    "rags.whole.chunkOverlap must be at most half of chunkSize",
  ],
  [
    "an unknown reranker",
    { rags: { new: { ...RAG, reranker: "no/model" } } },
    /^rags\.new\.reranker: /,
  ],
  ["an unknown model", { agents: { agent: { model: "no/model" } } }, /^agents\.agent\.model: /],
  [
    "a secret for elsewhere",
    {
      fileSources: {
        bucket: {
          config: {
            ...bucket(undefined).config,
            endpoint: "https://other.example",
            credentials: { env: "A" },
          },
        },
      },
    },
    "fileSources.bucket.config.credentials is required when endpoint changes",
  ],
  [
    "a question set of two",
    { questionSets: { two: { name: "Two", rag: "whole", inference: "ask" } } },
    "questionSets.two.rag or inference is required, and only one of them",
  ],
  [
    "a price of no kind",
    { prices: { "openai/m": { inputPrice: 1, outputPrice: 1, currency: "EUR" } } },
    /prices\.openai\/m\.kind must be one of/,
  ],
])("%s is refused whole, with path and reason", async (_name, wrong, message) => {
  const before = await pull();
  const right = {
    agents: { more: { name: "More", systemPrompt: "", model: "embedded/extractive" } },
  };
  const both: Settings = { ...right, ...(wrong as Settings) };
  both["agents"] = { ...both["agents"], ...right.agents };
  for (const query of ["dryRun=true", ""]) {
    const answer = await apply(both, query);
    expect(outcomeOf(answer)).toMatch(/^400 Invalid request: /);
    const text = outcomeOf(answer).replace("400 Invalid request: ", "");
    if (typeof message === "string") expect(text).toBe(message);
    else expect(text).toMatch(message);
  }
  expect(await pull()).toEqual(before);
});

test("what refers to new things is made in the same call", async () => {
  const settings = {
    questionSets: { fresh: { name: "Fresh", rag: "fresh" } },
    inferences: {
      fresh: { name: "F", systemPrompt: "", model: "embedded/extractive", rags: ["fresh"] },
    },
    rags: {
      fresh: { name: "Fresh", fileSource: "fresh", scopes: [{ type: "path", value: "x/" }] },
    },
    fileSources: { fresh: { name: "Fresh", provider: "file_system" } },
  };
  const { made } = await applied(settings);
  expect(made).toEqual([
    "fileSources.fresh",
    "rags.fresh",
    "inferences.fresh",
    "questionSets.fresh",
  ]);
});

test("a new source needs its secret, which a dry run does not", async () => {
  const settings = { fileSources: { second: bucket({ env: "SECRET" }) } };
  expect((await applied(settings, "dryRun=true")).made).toEqual(["fileSources.second"]);
  expect(outcomeOf(await apply(settings))).toMatch(
    /^400 Invalid request: fileSources\.second\.config\.credentials /,
  );
});

test("members neither read settings nor apply them", async () => {
  const { key } = await admin.create("/keys", { name: "Reads", role: "member" });
  const send = withKey(key);
  expect(outcomeOf(await send("GET", "/config"))).toBe("403 Forbidden");
  expect(outcomeOf(await send("POST", "/config", {}))).toBe("403 Forbidden");
  expect((await send("GET", "/config.schema.json")).status).toBe(200);
});

test("the JSON Schema has every kind and its fields", async () => {
  const { body } = await admin.send("GET", "/config.schema.json");
  expect(body).toMatchObject({
    additionalProperties: false,
    properties: {
      rags: {
        additionalProperties: {
          additionalProperties: false,
          properties: { chunkSize: { type: "integer", minimum: 16, maximum: 4000 } },
        },
      },
      prices: { additionalProperties: { properties: { currency: { type: "string" } } } },
      fileSources: { additionalProperties: { properties: { config: { type: "object" } } } },
    },
  });
});
