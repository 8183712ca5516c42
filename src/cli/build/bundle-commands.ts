import { join } from "node:path";

import { build } from "esbuild";

import { PROJECT } from "../installation.ts";

const OLDEST_NODE = "node20";

/** Writes `quarry.js`: the commands, with all that they import. Some of it calls `require`. */
export async function bundleCommands(outdir: string): Promise<void> {
  await build({
    entryPoints: [join(PROJECT, "src/cli/quarry.ts")],
    outfile: join(outdir, "quarry.js"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: OLDEST_NODE,
    // A package is built; only a checkout builds.
    external: ["*/build-service.ts"],
    banner: {
      js: 'import { createRequire as quarryRequire } from "node:module"; const require = quarryRequire(import.meta.url);',
    },
  });
}
