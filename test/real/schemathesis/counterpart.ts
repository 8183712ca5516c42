import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Counterpart } from "../tools.ts";

const PACKAGES = ["schemathesis"];
const LIMITS = ["RATE_LIMIT_WEBHOOKS:10000", "RATE_LIMIT_PANEL:10000"];
/** Seconds for each document. Fuzzing repeats until they are over. */
const DOCUMENTS = {
  "/api/openapi.json": 60,
  "/api/openapi-agents-and-webhooks.json": 60,
  "/panel/api/openapi.json": 600,
};

/**
 * Rules of its own: a 405 for other methods (ours is 404), a 400 only for what a schema can tell,
 * and for every parameter that it does not know.
 */
const OTHER_RULES = "unsupported_method,positive_data_acceptance,negative_data_rejection";

type Report = {
  operations: { selected: number; tested: number };
  phases: Record<string, { status: string }>;
  test_cases: { generated: number };
  failures: { title: string; operations: string[] }[];
  /** Requests that it could not generate or send. */
  errors: unknown[];
};

export const counterpart: Counterpart = {
  about: "calls that schemathesis generates from the three OpenAPI documents",
  async install(tools) {
    const { stdout } = await tools.run(join(await tools.python(PACKAGES), "st"), ["--version"]);
    return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? "unknown";
  },
  async check(tools) {
    const { url, key, token } = await tools.quarryWithRag(LIMITS);
    const st = join(await tools.python(PACKAGES), "st");
    for (const [document, seconds] of Object.entries(DOCUMENTS)) {
      const credential = document.startsWith("/panel") ? key : token;
      const file = join(tools.scratch, `${document.replaceAll("/", "-")}.report`);
      const bounds = ["--max-time", `${seconds}`, "--seed", "1", "--request-timeout", "60"];
      const checks = ["--checks", "all", "--exclude-checks", OTHER_RULES];
      const chosenPhases = ["--phases", "examples,coverage,fuzzing"];
      const authorization = ["-H", `Authorization: Bearer ${credential}`];
      const report = ["--report", "json", "--report-json-path", file];
      await tools.check(`${document}: every answer is one that it describes`, async () => {
        const args = [
          "run",
          `${url}${document}`,
          ...authorization,
          ...bounds,
          ...checks,
          ...chosenPhases,
          ...report,
        ];
        const { stdout } = await tools.tryRun(st, args, { cwd: tools.scratch });
        const covered = JSON.parse(readFileSync(file, "utf8")) as Report;
        const { operations, phases, test_cases: calls } = covered;
        const states = Object.entries(phases).map(([name, { status }]) => `${name}: ${status}`);
        console.log(`       ${operations.tested} of ${operations.selected} operations`);
        console.log(`       ${calls.generated} calls; ${states.join(", ")}`);
        for (const error of covered.errors) console.log(`       ${JSON.stringify(error)}`);
        const failures = stdout.slice(Math.max(0, stdout.indexOf(" FAILURES "))).slice(0, 6_000);
        assert.deepEqual(covered.failures, [], failures);
        assert.equal(operations.tested, operations.selected);
      });
    }
  },
};
