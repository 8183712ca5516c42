import { execFile } from "node:child_process";
import { afterAll, expect, test } from "vitest";

import { missedThresholds, settingIn, thresholdIn } from "../../../src/cli/evaluate-command.ts";
import { listen } from "../../doubles/listen.ts";

test("a setting is read from the command line", () => {
  const text = "topK=20, reranker=none,model=local/m:1,useReranking=true";
  const expected = { topK: 20, reranker: null, model: "local/m:1", useReranking: true };
  expect(settingIn(text)).toEqual(expected);
  expect(settingIn("default")).toEqual({});
  expect(() => settingIn("topk=20")).toThrow(/"topk=20" is not a setting/);
  expect(() => settingIn("topK")).toThrow(/write NAME=VALUE/);
});

test("a threshold that is not reached, or not measured, is said", () => {
  const thresholds = ["recall@5=0.8", "MRR=0.5", "answers=1"].map(thresholdIn);
  const measures = { "recall@5": 0.79, mrr: 0.5, answers: null };
  const counts = { questions: 20, errors: 0 };
  expect(missedThresholds(thresholds, { ...counts, measures })).toEqual([
    "recall@5 is 0.790, below 0.8",
    "answers was not measured: no question tests it",
  ]);
  const judged = { questions: 20, errors: 19, measures: { answers: 1, mrr: 1 } };
  expect(missedThresholds([thresholdIn("answers=0.9"), thresholdIn("mrr=1")], judged)).toEqual([
    "answers is 1.000, but 19 of 20 questions failed: 0.9 may not be reached",
  ]);
  for (const wrong of ["recall@7=0.8", "recall@5", "recall@5=80", "recall@5="]) {
    expect(() => thresholdIn(wrong)).toThrow(/--fail-under/);
  }
});

const summary = {
  questions: 100,
  errors: 0,
  measures: { "recall@5": 0.75, mrr: 0.6, answers: null },
  degradedShare: 0,
  p50Ms: 12,
  p95Ms: 40,
  inputTokens: 900,
  outputTokens: 0,
  cost: { amount: 0.1234, currency: "EUR" },
  judge: { inputTokens: 40, outputTokens: 2, cost: null },
};
const bodies: unknown[] = [];
/** Whether the service is started anew while a run is asked for. */
let breaks = false;

/** A service whose runs are done when they are asked for a second time. */
const { address, stop } = await listen((request, response) => {
  const { url = "", method } = request;
  let body = "";
  request.on("data", (part) => (body += String(part)));
  request.on("end", () => {
    if (method === "POST") bodies.push(JSON.parse(body));
    else if (breaks) {
      breaks = false;
      request.socket.destroy();
      return;
    }
    const status = method === "POST" ? "running" : "done";
    const run = {
      id: `r${bodies.length}`,
      status,
      error: null,
      total: 100,
      done: 100,
      summary,
      facts: {},
    };
    const difference = { mean: 0.05, low: -0.02, high: 0.11 };
    const figures = { measure: "recall@5", questions: 100, first: 0.7, second: 0.75 };
    const none = { mean: 0, low: 0, high: 0 };
    const measures = [
      { ...figures, difference, isClear: false },
      { ...figures, measure: "mrr", first: 0.6, second: 0.6, difference: none, isClear: false },
    ];
    const compared = { questions: 100, first: summary, second: summary, measures };
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(url.includes("/comparison") ? compared : run));
  });
});

afterAll(stop);

function quarry(...options: string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, QUARRY_KEY: "key", QUARRY_URL: address, NO_COLOR: "1" };
  return new Promise((resolve) => {
    const command = ["src/cli/quarry.ts", "evaluate", "weights", ...options];
    const child = execFile(process.execPath, command, { env }, (_error, out, problems) => {
      resolve({ code: child.exitCode ?? -1, output: out + problems });
    });
  });
}

test("evaluate ends with 1 below a threshold, and says how two settings differ", async () => {
  breaks = true;
  const [failed, compared] = await Promise.all([
    quarry("--fail-under", "recall@5=0.8"),
    quarry("--setting", "topK=20", "--against", "default", "--fail-under", "recall@5=0.7"),
  ]);
  expect(failed.code).toBe(1);
  expect(failed.output).toContain("quarry: recall@5 is 0.750, below 0.8.");
  expect(compared.output).toMatch(/recall@5.*0\.750.*0\.700.*\+0\.050.*-0\.020 to \+0\.110/);
  expect(compared.output).toMatch(/recall@5.*may be chance/);
  expect(compared.output).toMatch(/mrr.*no difference/);
  expect(failed.output).toMatch(/Each question: http:\S+\/panel\/evaluation\/weights\/runs\/r\d/);
  expect(compared.output).toMatch(/setting: 100 questions.*\nagainst: 100 questions/);
  expect(failed.output).toContain("900 tokens, 0.1234 EUR, judge 42 tokens, no prices");
  expect(compared.code).toBe(0);
  expect(bodies).toEqual(
    expect.arrayContaining([{ setting: {} }, { setting: { topK: 20 } }, { setting: {} }]),
  );
});
