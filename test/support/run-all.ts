/**
 * What `npm test` runs: every check and every test, each once, to the end. The last line is the
 * count over all of them; a failing check counts as one failed test.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const scratch = mkdtempSync(join(scratchParent(), "quarry-test-"));
const environment = {
  ...process.env,
  TMPDIR: scratch,
  CI: "1",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
};

const checks: [name: string, command: string, ...args: string[]][] = [
  ["format", "oxfmt", "--check"],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["types", "tsc", "--noEmit"],
  ["types of what runs in browsers", "tsc", "--noEmit", "-p", "src/panel/browser"],
  ["dead code", "knip"],
  ["migrations match the schema", "node", "test/support/check-migration-drift.ts"],
  ["bundles of production and preview", "node", "test/support/check-bundle.ts"],
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

function runCheck([name, command, ...args]: (typeof checks)[number]): Counts {
  const startedAt = Date.now();
  const { status, stdout, stderr } = spawnSync(command, args, {
    env: environment,
    encoding: "utf8",
  });
  const ok = status === 0;
  console.log(`${ok ? "ok    " : "FAILED"} ${name} (${Date.now() - startedAt} ms)`);
  if (!ok) console.log(stdout, stderr);
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
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
  const counts = [...checks.map(runCheck), runTests()];
  const sum = (key: keyof Counts) => counts.reduce((total, count) => total + count[key], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
  process.exitCode = sum("failed") === 0 && sum("passed") > checks.length ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
