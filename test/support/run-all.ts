/**
 * What `npm test` runs: every check and every test, each once, to the end. The last line is the
 * count over all of them; a failing check counts as one failed test.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const scratch = mkdtempSync(join(tmpdir(), "quarry-test-"));
const environment = {
  ...process.env,
  CI: "1",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
};

type Check = [name: string, command: string, ...args: string[]];

const checks: Check[] = [
  ["format", "oxfmt", "--check"],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["types", "tsc", "--noEmit"],
  ["types of what runs in browsers", "tsc", "--noEmit", "-p", "src/panel/browser"],
  ["dead code", "knip"],
  ["migrations match the schema", "node", "test/support/check-migration-drift.ts"],
];
/** It takes as long as all others, beside which it runs. */
const bundles: Check = [
  "bundles of production and preview",
  "node",
  "test/support/check-bundle.ts",
];

type Counts = { passed: number; failed: number; skipped: number };

async function runCheck([name, command, ...args]: Check): Promise<Counts> {
  const startedAt = Date.now();
  const child = spawn(command, args, { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = (await once(child, "close")) as [number | null];
  const ok = status === 0;
  console.log(`${ok ? "ok    " : "FAILED"} ${name} (${Date.now() - startedAt} ms)`);
  if (!ok) console.log(...(await said));
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

async function runChecks(): Promise<Counts[]> {
  const beside = runCheck(bundles);
  const counts: Counts[] = [];
  for (const check of checks) counts.push(await runCheck(check));
  return [...counts, await beside];
}

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
};

function runTests(): Counts {
  const report = join(scratch, "vitest.json");
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = spawnSync("vitest", ["run", ...reporters], {
    env: environment,
    stdio: "inherit",
  });
  try {
    const counts = JSON.parse(readFileSync(report, "utf8")) as VitestReport;
    const failed = counts.numFailedTests;
    return {
      passed: counts.numPassedTests,
      // A file that does not load fails no test, and yet the run has failed.
      failed: status === 0 ? failed : Math.max(1, failed),
      skipped: counts.numPendingTests + counts.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

try {
  const checked = await runChecks();
  const counts = [...checked, runTests()];
  const sum = (key: keyof Counts) => counts.reduce((total, count) => total + count[key], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
  process.exitCode = sum("failed") === 0 && sum("passed") > checked.length ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
