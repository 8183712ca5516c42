/**
 * Builds what would be deployed, offline, for each environment: it must build without a warning
 * and stay below its size bar. Start-up follows the size, and unlike time it cannot flake;
 * `npm run bench -- startup` measures the time.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ENVIRONMENTS } from "../../src/cli/deploy/settings.ts";

/** The platform's own limits are 64 MiB and one second of start-up. */
const GZIP_BAR_KIB = 1_500;
const SIZE = /Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB/;

function problemsOf(environment: string, outdir: string): string[] {
  const args = ["deploy", "--dry-run", "--env", environment, "--outdir", outdir];
  const { status, stdout, stderr } = spawnSync("wrangler", args, { encoding: "utf8" });
  const said = `${stdout}\n${stderr}`;
  if (status !== 0) return [said];
  const gzipKib = Number(SIZE.exec(said)?.[2]);
  return [
    ...(said.includes("WARNING") ? [`a warning:\n${said}`] : []),
    ...(gzipKib < GZIP_BAR_KIB ? [] : [`${gzipKib} KiB compressed, the bar is ${GZIP_BAR_KIB}`]),
  ];
}

const outdir = mkdtempSync(join(tmpdir(), "quarry-bundle-"));
try {
  for (const environment of ENVIRONMENTS) {
    for (const problem of problemsOf(environment, join(outdir, environment))) {
      process.exitCode = 1;
      console.log(`${environment}: ${problem}`);
    }
  }
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
