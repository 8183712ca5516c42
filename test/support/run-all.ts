/**
 * `npm test`: every check and every test, each once, to the end; `npm run check`, with `--fast`:
 * without bundles, Workers, servers and browsers. The last line is the count over all of them; a
 * failing check counts as one failed test.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { buildAssets } from "../../src/cli/build/build-assets.ts";

const scratch = mkdtempSync(join(scratchParent(), "quarry-test-"));
const environment = {
  ...process.env,
  TMPDIR: scratch,
  // wrangler and the commands are started again and again.
  NODE_COMPILE_CACHE: join(scratch, "compile-cache"),
  CI: "1",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
};

const BUILD_API_TYPES = "src/cli/build/build-api-types.ts";

type Check = [name: string, command: string, ...args: string[]];

const format: Check = ["format", "oxfmt", "--check"];
const lint: Check = ["lint", "oxlint", "--type-aware", "--deny-warnings"];
const sourceChecks: Check[] = [
  // Several checkers each work out the types that they share: up to twice the work for all of it.
  ["types", "tsc", "--checkers", "1"],
  ["types of what runs in browsers", "tsc", "-p", "src/panel/browser"],
  ["dead code", "knip"],
  ["migrations match the schema", "node", "test/support/check-migration-drift.ts"],
];
const installation: Check = [
  "programs of other makers are installed",
  "node",
  "test/support/install-witnesses.ts",
];
const witnessTypes: Check = [
  "types of tests against programs of other makers",
  "tsc",
  "--checkers",
  "1",
  "-p",
  "test/witnesses",
];
const bundleChecks: Check[] = [
  ["bundles of production and preview", "node", "test/support/check-bundle.ts"],
];
const packageChecks: Check[] = [
  ["the packed service runs", "node", "test/support/check-package.ts"],
];

/** Memory where Linux offers enough of it: databases on a disk cost a fifth of all processor time. */
function scratchParent(): string {
  const memory = "/dev/shm";
  const NEEDED_BYTES = 4 * 1024 ** 3;
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= NEEDED_BYTES ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

type Counts = { passed: number; failed: number; skipped: number };

async function runCheck([name, command, ...args]: Check): Promise<Counts> {
  const startedAt = Date.now();
  const options = { env: environment, maxBuffer: Infinity };
  const { failed, output } = await new Promise<{ failed: boolean; output: string }>((resolve) => {
    execFile(command, args, options, (thrown, stdout, stderr) => {
      resolve({ failed: thrown !== null, output: `${stdout}\n${stderr}` });
    });
  });
  console.log(`${failed ? "FAILED" : "ok    "} ${name} (${Date.now() - startedAt} ms)`);
  if (failed) console.log(output);
  return { passed: failed ? 0 : 1, failed: failed ? 1 : 0, skipped: 0 };
}

async function runInTurn(checks: Check[]): Promise<Counts[]> {
  const counts: Counts[] = [];
  for (const check of checks) counts.push(await runCheck(check));
  return counts;
}

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
};

async function runTests(projects: string[]): Promise<Counts> {
  const report = join(scratch, "vitest.json");
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
  const tests = spawn("vitest", ["run", ...projects, ...reporters], {
    env: environment,
    stdio: "inherit",
  });
  const [status]: unknown[] = await once(tests, "exit");
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
  buildAssets();
  const isFast = process.argv.includes("--fast");
  const types = await runCheck(["types of the APIs are made", "node", BUILD_API_TYPES]);
  const installing = runInTurn(isFast ? [] : [installation]);
  const [installed, ...checked] = await Promise.all([
    installing,
    // Types of programs that are half installed are no types.
    installing.then(() => runInTurn([lint])),
    runInTurn([format, ...(isFast ? sourceChecks : bundleChecks)]),
  ]);
  const isInstalled = installed.every(({ failed }) => failed === 0);
  // Tests also wait: what runs beside them costs hardly any time.
  const [beside, tested] = await Promise.all([
    runInTurn(
      isFast ? [] : [...sourceChecks, ...(isInstalled ? [witnessTypes] : []), ...packageChecks],
    ),
    runTests(isFast ? ["--project=unit"] : isInstalled ? [] : ["--project=!end-to-end"]),
  ]);
  const counts = [types, ...installed, ...checked.flat(), ...beside, tested];
  const sum = (key: keyof Counts) => counts.reduce((total, count) => total + count[key], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
  process.exitCode = sum("failed") === 0 && sum("passed") > counts.length ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
