import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";

import { readLimits } from "../../../src/catalog/limits/limit-verbs.ts";
import { QuarryError } from "../../../src/core/errors.ts";
import { newId } from "../../../src/core/ids.ts";
import { upsertLimit, type SpendingLimit } from "../../../src/db/catalog/limit-store.ts";
import { replaceModels } from "../../../src/db/catalog/model-store.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { runAgent } from "../../../src/inference/run-agent.ts";
import { runEvents } from "../../../src/inference/run-events.ts";
import { runInference } from "../../../src/inference/run-inference.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { eventually } from "../../support/eventually.ts";
import { agentOf, indexedRag, inferenceOf, inputOf, nobody, worldWith } from "./support.ts";

const db = openDatabase(env.DB);
const MODEL = "openai/chat";
/** The double reports 100 tokens of the prompt and 20 of the answer. */
const REPORTED = 120;
const ASK = inferenceOf({ model: MODEL, maxOutputTokens: 200 });

beforeEach(async () => {
  // After midnight nothing is spent of a day's limit.
  vi.useFakeTimers({ toFake: ["Date"] });
  await env.DB.prepare("delete from spending_limits").run();
  const price = { inputPrice: 1, outputPrice: 1, currency: "USD" };
  await replaceModels(db, [
    { model: MODEL, kind: "chat", ...price },
    { model: "local/rerank", kind: "reranker", ...price },
  ]);
});

async function limit(amount: number, more: Partial<SpendingLimit> = {}): Promise<string> {
  const id = newId(Date.now());
  const subject = { subjectKind: "service" as const, subjectId: "" };
  const terms = { unit: "modelTokens" as const, period: "day" as const, createdAt: 0 };
  await upsertLimit(db, { id, ...subject, ...terms, amount, ...more }, 100);
  return id;
}

const spentOf = async (id: string) => {
  const services = { db, ledger: env.SPENDING_LEDGER.getByName("ledger") };
  return (await readLimits(services)).find((candidate) => candidate.id === id);
};

/** Calls of the model wait until the gate opens. */
function gatedWorld() {
  const double = new OpenAiDouble();
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const fetch: typeof double.fetch = async (...request) => {
    const answer = await double.fetch(...request);
    await gate;
    return answer;
  };
  return { double, open, ...worldWith({ fetch }) };
}

const outcome = async (run: Promise<unknown>) =>
  await run.then(
    () => "answered",
    (thrown: unknown) => (thrown instanceof QuarryError ? thrown.kind : String(thrown)),
  );

const reservedByOneCall = async (unit: SpendingLimit["unit"]) => {
  const id = await limit(1_000, { unit });
  const world = gatedWorld();
  const run = runInference(world.services, { inference: ASK, input: inputOf({}), caller: nobody });
  await eventually(() => expect(world.double.calls("chat")).toHaveLength(1));
  const reserved = (await spentOf(id))?.reserved ?? 0;
  world.open();
  await run;
  await env.DB.prepare("delete from spending_limits").run();
  return reserved;
};

test.each([
  ["usd", 200],
  ["calls", 60],
  ["modelTokens", 60],
] as const)(
  "exactly those calls are made that fit a limit of %s, of %i at once",
  async (unit, atOnce) => {
    const most = await reservedByOneCall(unit);
    const id = await limit(37.6 * most, { unit });
    const world = gatedWorld();
    const outcomes: string[] = [];
    const runs = Array.from({ length: atOnce }, async () => {
      const input = inputOf({});
      outcomes.push(
        await outcome(runInference(world.services, { inference: ASK, input, caller: nobody })),
      );
    });
    await eventually(() => {
      expect([world.double.calls("chat").length, outcomes.length]).toEqual([37, atOnce - 37]);
    });
    expect(new Set(outcomes)).toEqual(new Set(["spending-reached"]));
    expect((await spentOf(id))?.reserved).toBeCloseTo(37 * most, 9);
    world.open();
    await Promise.all(runs);
    await world.settled();
    const cost = { calls: 1, modelTokens: REPORTED, usd: REPORTED / 1_000_000 }[unit];
    expect(await spentOf(id)).toMatchObject({ reserved: 0, used: expect.closeTo(37 * cost, 9) });
  },
);

test("a stream that is cut is charged as it was reserved, and counts as a call", async () => {
  const most = await reservedByOneCall("modelTokens");
  const [tokens, calls] = [await limit(10 * most), await limit(10, { unit: "calls" })];
  const double = new OpenAiDouble();
  double.script = () => ({ text: "One two three four five." });
  const world = worldWith({ double });
  const ending = new AbortController();
  const run = { inference: ASK, input: inputOf({}), caller: nobody };
  const events = runEvents(
    (listening) => runInference(world.services, { ...run, ...listening }),
    ending.signal,
  );
  await expect(
    (async () => {
      for await (const event of events) if (event.type === "delta") ending.abort();
    })(),
  ).rejects.toThrow("Model call failed");
  await world.settled();
  await eventually(async () => {
    expect(await spentOf(tokens)).toMatchObject({ used: most, reserved: 0 });
    expect(await spentOf(calls)).toMatchObject({ used: 1, reserved: 0 });
  });
});

test.each([
  { failure: { kind: "status", status: 401 } as const, used: 0, calls: 0 },
  { failure: { kind: "status", status: 429 } as const, used: 0, calls: 0 },
  { failure: { kind: "malformed" } as const, used: "reserved", calls: 0 },
  { failure: { kind: "status", status: 504 } as const, used: "reserved", calls: 0 },
])("what the provider refuses costs nothing, what is unclear all: %o", async (example) => {
  const most = await reservedByOneCall("modelTokens");
  const [tokens, calls] = [await limit(most), await limit(10, { unit: "calls" })];
  const double = new OpenAiDouble();
  double.fail("chat", example.failure);
  const world = worldWith({ double });
  const run = runInference(world.services, { inference: ASK, input: inputOf({}), caller: nobody });
  expect(await outcome(run)).toMatch(/model-failed|spending-reached/);
  await world.settled();
  const used = example.used === "reserved" ? most : example.used;
  expect(await spentOf(tokens)).toMatchObject({ used, reserved: 0 });
  expect(await spentOf(calls)).toMatchObject({ used: example.calls, reserved: 0 });
});

test("all limits of a call are asked; one that refuses costs the others nothing", async () => {
  const subject = { subjectKind: "inference" as const, subjectId: ASK.id };
  const service = await limit(100, { unit: "calls" });
  const own = await limit(1, { unit: "calls", ...subject });
  const otherLimit = await limit(0, { unit: "calls", ...subject, subjectId: "another" });
  const world = worldWith({ double: new OpenAiDouble() });
  const run = () =>
    outcome(runInference(world.services, { inference: ASK, input: inputOf({}), caller: nobody }));
  expect([await run(), await run(), await run()]).toEqual([
    "answered",
    "spending-reached",
    "spending-reached",
  ]);
  await world.settled();
  const used = async (id: string) => (await spentOf(id))?.used;
  expect([await used(service), await used(own), await used(otherLimit)]).toEqual([1, 1, 0]);
});

test("an agent at a limit between steps answers as if its steps were used up", async () => {
  const rag = await indexedRag("handbook", { "leave.md": ["Everyone has thirty days of leave."] });
  const double = new OpenAiDouble();
  double.script = () => ({
    calls: [{ name: "search_handbook", arguments: '{"query":"leave"}' }],
  });
  const world = worldWith({ double });
  const agent = agentOf({ model: MODEL, rags: [rag], maxSteps: 5, maxOutputTokens: 400 });
  const subject = { subjectKind: "agent" as const, subjectId: agent.id };
  const id = await limit(0.0016, { unit: "usd", ...subject });
  const run = { agent, prompt: "How much leave?", caller: nobody };
  const { response, items, degradations } = await runAgent(world.services, run);
  expect(response).toEqual([{ type: "text", text: "" }]);
  expect(items).toHaveLength(1);
  expect(degradations).toEqual(["model: Spending limit reached"]);
  const steps = double.calls("chat").length;
  expect(steps).toBeGreaterThan(1);
  expect(steps).toBeLessThan(5);
  await world.settled();
  expect((await spentOf(id))?.used).toBeCloseTo((steps * REPORTED) / 1_000_000, 9);
});

test("an agent that the provider refuses after a step that was paid counts as a call", async () => {
  const rag = await indexedRag("refused", { "leave.md": ["Everyone has thirty days of leave."] });
  const double = new OpenAiDouble();
  double.script = () => {
    double.fail("chat", { kind: "status", status: 401 });
    return { calls: [{ name: "search_refused", arguments: '{"query":"leave"}' }] };
  };
  const world = worldWith({ double });
  const [tokens, calls] = [await limit(1_000_000), await limit(10, { unit: "calls" })];
  const agent = agentOf({ model: MODEL, rags: [rag], maxSteps: 5 });
  const run = { agent, prompt: "How much leave?", caller: nobody };
  expect(await outcome(runAgent(world.services, run))).toBe("model-failed");
  await world.settled();
  expect((await spentOf(tokens))?.used).toBeGreaterThanOrEqual(REPORTED);
  expect(await spentOf(calls)).toMatchObject({ used: 1, reserved: 0 });
});

test("a picture costs by the price of the chat model that reads it", async () => {
  const id = await limit(1, { unit: "usd" });
  const world = gatedWorld();
  const reader = world.services.models.imageReader(MODEL);
  const picture = { bytes: new Uint8Array([1]), mediaType: "image/png" };
  const reading = reader.read(picture, new AbortController().signal);
  await eventually(() => expect(world.double.calls("chat")).toHaveLength(1));
  const body = world.double.calls("chat")[0]?.body as { max_tokens: number };
  expect((await spentOf(id))?.reserved).toBeGreaterThan(body.max_tokens / 1_000_000);
  world.open();
  await reading;
  await world.settled();
  const used = expect.closeTo(REPORTED / 1_000_000, 9) as unknown;
  expect(await spentOf(id)).toMatchObject({ reserved: 0, used });
});

test("without a limit of an answer, 4,096 tokens are reserved and sent", async () => {
  const double = new OpenAiDouble();
  const inference = inferenceOf({ model: MODEL });
  const run = async (amount: number) => {
    await env.DB.prepare("update spending_limits set amount = ?").bind(amount).run();
    const { services } = worldWith({ double });
    return await outcome(runInference(services, { inference, input: inputOf({}), caller: nobody }));
  };
  await run(0);
  await limit(0);
  expect([await run(4_097), await run(4_300)]).toEqual(["spending-reached", "answered"]);
  const tokenLimits = double
    .calls("chat")
    .map(({ body }) => (body as { max_tokens?: number }).max_tokens);
  expect(tokenLimits).toEqual([undefined, 4_096]);
});
