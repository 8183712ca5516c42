import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { EnvironmentName } from "../../src/cli/deploy/wrangler-command.ts";

/**
 * https://developers.cloudflare.com/workers/platform/limits/#worker-size: 64 MiB, and where its
 * older edition still holds, 3 MB (Free) and 10 MB (Paid) after compression.
 */
export const SIZE_LIMITS = "64 MiB; before 2026 compressed 3 MB (Free), 10 MB (Paid)";

const SIZE = /Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB/;

/** https://esbuild.github.io/api/#metafile */
type Metafile = {
  inputs: Record<string, { imports: { path: string; kind: string; external?: boolean }[] }>;
  outputs: Record<
    string,
    { entryPoint?: string; inputs: Record<string, { bytesInOutput: number }> }
  >;
};

/** Modules that `alias` in wrangler.toml replaces. */
const REPLACED = /zod\/v4\/locales\/(?!en\.js)|@ai-sdk\/gateway\//;

const BYTES_A_KIB = 1_024;

const outputOf = (outputs: Metafile["outputs"]) =>
  Object.values(outputs).find(({ entryPoint }) => entryPoint !== undefined);

/** Sums the modules of a start: the entry's imports, not those that an event imports later. */
function startOf({ inputs, outputs }: Metafile) {
  const output = outputOf(outputs);
  const paths = new Set([output?.entryPoint ?? ""]);
  for (const path of paths) {
    for (const { path: imported, kind, external } of inputs[path]?.imports ?? []) {
      if (kind !== "dynamic-import" && external !== true) paths.add(imported);
    }
  }
  const sizes = [...paths].map((path) => output?.inputs[path]?.bytesInOutput ?? 0);
  const evaluated = sizes.filter((bytes) => bytes > 0);
  const bytes = evaluated.reduce((sum, size) => sum + size, 0);
  return { modules: evaluated.length, kib: Math.round(bytes / BYTES_A_KIB) };
}

/**
 * Builds what would be deployed, offline. @throws Error with what wrangler said when it does not
 * build.
 */
export function bundleSizes(environment: EnvironmentName) {
  const outdir = mkdtempSync(join(tmpdir(), "quarry-bundle-"));
  try {
    const metafile = join(outdir, "meta.json");
    const args = ["deploy", "--dry-run", "--env", environment, "--outdir", outdir];
    args.push("--metafile", metafile);
    const { status, stdout, stderr } = spawnSync("wrangler", args, { encoding: "utf8" });
    const output = `${stdout}\n${stderr}`;
    const [, kib, gzipKib] = SIZE.exec(output) ?? [];
    if (status !== 0 || kib === undefined) throw new Error(output);
    const built = JSON.parse(readFileSync(metafile, "utf8")) as Metafile;
    const inputs = Object.entries(outputOf(built.outputs)?.inputs ?? {});
    const replaced = inputs.filter(([path, { bytesInOutput }]) => {
      return bytesInOutput > 0 && REPLACED.test(path);
    });
    const sizes = { kib: Number(kib), gzipKib: Number(gzipKib) };
    return { ...sizes, output, start: startOf(built), replaced: replaced.map(([path]) => path) };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
