import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { EnvironmentName } from "../../src/cli/deploy/wrangler-command.ts";

/**
 * https://developers.cloudflare.com/workers/platform/limits/#worker-size: 64 MiB, and where its
 * older edition still holds, 3 MB (Free) and 10 MB (Paid) after compression.
 */
export const SIZE_LIMITS = "64 MiB; before 2026 compressed 3 MB (Free), 10 MB (Paid)";

const SIZE = /Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB/;

/**
 * Builds what would be deployed, offline. @throws Error with what wrangler said when it does not
 * build.
 */
export function bundleSizes(environment: EnvironmentName) {
  const outdir = mkdtempSync(join(tmpdir(), "quarry-bundle-"));
  try {
    const args = ["deploy", "--dry-run", "--env", environment, "--outdir", outdir];
    const { status, stdout, stderr } = spawnSync("wrangler", args, { encoding: "utf8" });
    const said = `${stdout}\n${stderr}`;
    const [, kib, gzipKib] = SIZE.exec(said) ?? [];
    if (status !== 0 || kib === undefined) throw new Error(said);
    return { kib: Number(kib), gzipKib: Number(gzipKib), said };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
