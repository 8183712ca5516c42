import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { EvaluationRunId } from "../../../src/core/ids.ts";
import type { UsageMessage } from "../../../src/core/queue-messages.ts";
import { workOnRun } from "../../../src/evaluation/runs/work-on-run.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { World } from "../../support/ingestion-world.ts";
import { FACTS, indexedWorld, panelOf, question } from "./world.ts";

const FILES = 20;
const lines = Array.from({ length: FILES * FACTS }, (_, at) => {
  const [file, fact] = [Math.floor(at / FACTS), at % FACTS];
  return `${question(file, fact)},f${file}.md,weighs ${file * 10 + fact} grams`;
});
const CSV = ["question,file,passage", ...lines].join("\n");

test("100 questions, two settings, an interrupted run, a second delivery", async () => {
  const { world, rag, panel } = await indexedWorld(FILES);
  const { send } = panel;
  const response = await send("POST", "/question-sets", { name: "Weights", rag });
  expect(response).toMatchObject({ status: 201, body: { identifier: "weights", questions: 0 } });
  expect(await send("POST", "/question-sets/weights/runs", {})).toMatchObject({ status: 422 });
  for (const count of [100, 100]) {
    const importResult = await send("POST", "/question-sets/weights/import", CSV, "text/csv");
    expect(importResult).toMatchObject({ status: 200, body: { kept: count, absent: [] } });
  }
  expect((await send("GET", "/question-sets/weights")).body).toMatchObject({ questions: 100 });
  // They stand in the order of the file.
  const listing = await send("GET", "/question-sets/weights/questions?limit=100");
  const inOrder = lines.map((line) => ({ question: line.split(",")[0] }));
  expect(listing.body).toMatchObject({ data: inOrder });
  const start = async (setting: object) => {
    const { status, body } = await send("POST", "/question-sets/weights/runs", { setting });
    expect(status).toBe(201);
    return body.id as EvaluationRunId;
  };
  const readRun = async (id: string) =>
    (await send("GET", `/question-sets/weights/runs/${id}`)).body;

  const first = await start({});
  // The worker dies in the middle of its fifth question, and its message is lost. Before the first
  // question of each message the index is warmed up.
  const { trace } = world.services;
  let retrievals = 0;
  world.services.trace = (name, work) => {
    if (name === "retrieval") retrievals += 1;
    if (name === "retrieval" && retrievals === 6) throw new Error("the worker dies");
    return trace(name, work);
  };
  await expect(workOnRun(world.services, first)).rejects.toThrow("the worker dies");
  world.waiting.splice(0);
  expect(await readRun(first)).toMatchObject({ status: "running", total: 100, done: 5 });
  await sweep(world.services);
  expect(world.waiting).toEqual([]);
  world.now += 2 * 60_000;
  await sweep(world.services);
  expect(world.waiting).toEqual([
    { queue: "quarry-scan", body: { kind: "evaluate", runId: first } },
  ]);
  // Its message comes twice at once.
  world.waiting.splice(0);
  await Promise.all([workOnRun(world.services, first), workOnRun(world.services, first)]);
  await world.deliver();
  await workOnRun(world.services, first);
  expect(retrievals).toBe(101 + 5);
  const finalRun = await readRun(first);
  expect(finalRun).toMatchObject({
    status: "done",
    done: 100,
    facts: { chunkSize: 400, embeddingModel: world.services.config.EMBEDDING_MODEL },
    summary: {
      questions: 100,
      errors: 0,
      measures: { "recall@10": 1, answers: null },
      degradedShare: 0,
    },
  });
  expect(world.usage.filter(({ kind }) => kind === "retrieve")).toHaveLength(100 + 5);

  const strict = await start({ similarityThreshold: 1, searchMode: "keyword" });
  // Its time is up after some questions: every message leaves the rest to another.
  const slow = world.services.trace;
  world.services.trace = (name, work) => {
    if (name === "retrieval") world.now += 3_000;
    return slow(name, work);
  };
  await world.deliver();
  expect(await readRun(strict)).toMatchObject({
    facts: { searchMode: "keyword", reranker: null },
    summary: { measures: { "recall@10": 0, mrr: 0 } },
  });
  const withStrict = `/question-sets/weights/runs/${first}/comparison?with=${strict}`;
  const compared = await send("GET", withStrict);
  const recall = compared.body.measures.find(({ measure }) => measure === "recall@10");
  expect(recall).toEqual({
    measure: "recall@10",
    questions: 100,
    first: 1,
    second: 0,
    difference: { mean: -1, low: -1, high: -1 },
    isClear: true,
  });
  const results = await send("GET", `/question-sets/weights/runs/${first}/results?limit=1`);
  expect(results.body).toMatchObject({ total: 100, data: [{ ranks: [expect.any(Number)] }] });

  const deletedRun = await start({});
  expect((await send("DELETE", `/question-sets/weights/runs/${deletedRun}`)).status).toBe(204);
  await world.deliver();
  expect((await send("GET", "/question-sets/weights/runs")).body).toMatchObject({ total: 2 });
  await send("DELETE", "/question-sets/weights");
  const row = await env.DB.prepare(
    "select (select count(*) from evaluation_results) + (select count(*) from questions) as n",
  ).first();
  expect(row).toEqual({ n: 0 });
});

test("answers are checked and judged", async () => {
  const { world, double, rag, panel } = await indexedWorld(2);
  const { send } = panel;
  const inference = { name: "Scales", systemPrompt: "Answer.", model: "local/m", rags: [rag] };
  expect((await send("POST", "/inferences", inference)).status).toBe(201);
  const set = { name: "Answers", inference: "scales", judgeModel: "local/judge" };
  expect(await send("POST", "/question-sets", set)).toMatchObject({ status: 201 });
  const at = "/question-sets/answers";
  const addQuestion = async (body: object) => (await send("POST", `${at}/questions`, body)).status;
  const expected = [{ file: "f0.md" }];
  const ask = question(0, 0);
  expect(await addQuestion({ question: ask, expected, check: "contains", answer: "0 grams" })).toBe(
    201,
  );
  expect(await addQuestion({ question: "Which?", check: "equals", answer: "none" })).toBe(201);
  const jsonSchema = '{"type":"object","properties":{"grams":{"type":"number"}}}';
  const asJson = { question: "As JSON?", check: "json", answer: '{"grams": 0}', jsonSchema };
  expect(await addQuestion(asJson)).toBe(201);
  expect(await addQuestion({ question: "Fair?", check: "judged", answer: "Says it is fair" })).toBe(
    201,
  );
  expect(await addQuestion({ question: "Down?", check: "judged", answer: "Anything" })).toBe(201);
  expect(await addQuestion({ question: "Nothing?" })).toBe(400);

  double.script = ({ model, messages }) => {
    const prompt = JSON.stringify(messages);
    if (model === "judge") {
      // As Gemini answers a request with a `$schema`.
      if (prompt.includes("Down?") || prompt.includes("$schema")) return { text: "no verdict" };
      return {
        text: JSON.stringify({ reason: "It says so.", right: prompt.includes("It is fair") }),
      };
    }
    if (prompt.includes("As JSON?")) return { text: '{"grams":0}' };
    return { text: prompt.includes("Fair?") ? "It is fair." : "It weighs 0 grams." };
  };
  const priced = (model: string, kind: string, inputPrice: number) => {
    return { model, kind, inputPrice, outputPrice: 10 * inputPrice, currency: "USD" };
  };
  const embedding = priced(world.services.config.EMBEDDING_MODEL, "embedding", 1);
  const chat = [priced("local/m", "chat", 2), priced("local/judge", "chat", 30)];
  expect((await send("PUT", "/models", [embedding, ...chat])).status).toBe(200);
  world.usage.splice(0);
  const { body: run } = await send("POST", `${at}/runs`, {});
  await world.deliver();
  const { body: finalRun } = await send("GET", `${at}/runs/${run.id}`);
  expect(finalRun).toMatchObject({
    status: "done",
    facts: { inference: "scales", model: "local/m" },
    // Right: contains, JSON and the fair one; wrong: "none". The judge that fails counts not.
    summary: { questions: 5, errors: 1, measures: { answers: 3 / 4, "recall@5": 1 } },
  });
  // The answers' tokens include embedded queries, and leave out the judge's verdict.
  const answers = spentIn(world.usage, "local/m");
  expect(answers.embedded).toBeGreaterThan(0);
  expect(finalRun.summary).toMatchObject({
    inputTokens: answers.input + answers.embedded,
    outputTokens: answers.output,
    cost: { currency: "USD" },
  });
  const { input, output, embedded } = answers;
  expect(finalRun.summary.cost.amount).toBeCloseTo((2 * input + 20 * output + embedded) / 1e6, 12);
  const { body: results } = await send("GET", `${at}/runs/${run.id}/results`);
  expect(results.data[0]).toMatchObject({ question: "Down?", right: null });
  expect(results.data[0]?.error).toMatch(/^Judge: /);
  const judge = { inputTokens: expect.any(Number), cost: { amount: expect.any(Number) } };
  const fair = results.data.find((result) => result.question === "Fair?");
  expect(fair).toMatchObject({ right: true, why: "It says so.", response: "It is fair.", judge });
  expect(finalRun.summary.judge).toEqual(fair?.judge);
  double.fail("chat", { kind: "status", status: 400 } as never);
  const { body: failing } = await send("POST", `${at}/runs`, { setting: { model: "local/n" } });
  await world.deliver();
  const { body: failed } = await send("GET", `${at}/runs/${failing.id}`);
  expect(failed).toMatchObject({
    status: "done",
    summary: { errors: 5, measures: { answers: 0, "recall@5": 0 } },
  });
  double.fail("chat", { kind: "status", status: 400 } as never, 0);

  const { body: list } = await send("GET", `${at}/questions`);
  const [first, second] = list.data;
  const change = { question: "My words?" };
  expect(await send("PATCH", `${at}/questions/${first?.id}`, change)).toMatchObject({
    status: 200,
    body: { ...first, ...change },
  });
  const twice = await send("PATCH", `${at}/questions/${second?.id}`, change);
  expect(twice.status).toBe(409);
  expect((await send("GET", `${at}/export?format=csv`)).body).toContain('"My words?"');

  const most = Array.from({ length: 995 }, (_, row) => `Q${row}?,f0.md`).join("\n");
  const csv = `question,file\n${most}\nQ0?,f-0.md`;
  for (let time = 0; time < 2; time++) {
    const filled = await send("POST", `${at}/import`, csv, "text/csv");
    expect(filled).toMatchObject({ status: 200, body: { kept: 995, absent: ["f-0.md"] } });
  }
  const response = await send("POST", `${at}/questions`, { question: "Beyond?", expected });
  expect(response).toMatchObject({ status: 422, body: { error: expect.stringMatching(/1000/) } });

  await send("DELETE", "/inferences/scales");
  expect((await send("GET", at)).status).toBe(404);
  panel.asNobody();
  expect((await send("GET", "/question-sets")).status).toBe(401);
});

/** Tokens that the usage records of one chat model's runs, and of what those runs embedded. */
function spentIn(usage: readonly UsageMessage[], model: string) {
  const totals = { input: 0, output: 0, embedded: 0 };
  for (const { inputTokens, outputTokens, uses } of usage.filter(
    (record) => record.model === model,
  )) {
    totals.input += inputTokens;
    totals.output += outputTokens;
    for (const { inputTokens: tokens } of uses ?? []) totals.embedded += tokens;
  }
  return totals;
}

test("members read and change nothing; wrong wishes are refused in words", async () => {
  const world = new World();
  const rag = await world.addRag(await world.addSource());
  const { send, headers } = await panelOf(world);
  const make = (more: object) => send("POST", "/question-sets", { name: "Own", ...more });
  expect((await make({})).body.error).toMatch(/rag or inference is required/);
  expect((await make({ rag: "none" })).body.error).toMatch(/rag does not exist/);
  expect((await make({ rag, judgeModel: "no/such" })).body.error).toMatch(/judgeModel/);
  const judge = (await make({ rag, judgeModel: "embedded/extractive" })).body.error;
  expect(judge).toMatch(/judgeModel: embedded\/extractive only quotes .* cannot judge answers/);
  expect((await make({ rag })).status).toBe(201);
  const change = await send("PATCH", "/question-sets/own", { judgeModel: "embedded/extractive" });
  expect(change.body.error).toBe(judge);
  expect((await make({ rag })).body.error).toMatch(/Identifier is taken/);
  const body = { question: "Q?", expected: [{ file: "a.md" }] };
  expect((await send("POST", "/question-sets/own/questions", body)).status).toBe(201);
  const run = async (setting: object) =>
    (await send("POST", "/question-sets/own/runs", { setting })).body.error;
  expect(await run({ target: "none" })).toMatch(/target: there is no RAG none/);
  expect(await run({ model: "local/m" })).toMatch(/model is for sets of an inference/);
  expect(await run({ reranker: "no/such" })).toMatch(/reranker/);
  expect(await run({ topK: 1_000 })).toMatch(/topK must be at most 100/);
  for (let at = 0; at < 4; at++) expect(await run({})).toBeNull();
  expect(await run({})).toMatch(/4 runs are in progress/);
  const wrong = await send("POST", "/question-sets/own/import", "x", "text/plain");
  expect(wrong).toMatchObject({ status: 400 });
  const large = "question,file\n".padEnd(1_100_000, "x");
  const response = await send("POST", "/question-sets/own/import", large, "text/csv");
  expect(response.status).toBe(413);

  const key = await send("POST", "/keys", { name: "reader", role: "member" });
  delete headers["Cookie"];
  headers["Authorization"] = `Bearer ${key.body.key}`;
  expect((await send("GET", "/question-sets/own/questions")).body).toMatchObject({ total: 1 });
  expect((await send("POST", "/question-sets/own/runs", {})).status).toBe(403);
  expect((await send("DELETE", "/question-sets/own")).status).toBe(403);
  await env.DB.prepare("update rags set removed_at = 1 where id = ?1").bind(rag).run();
  expect((await send("GET", "/question-sets/own")).status).toBe(404);
  expect((await send("GET", "/question-sets")).body).toMatchObject({ total: 0 });
});
