import { join } from "node:path";

import { build } from "esbuild";

import { PROJECT } from "../installation.ts";
import { replaceFile } from "../replace-file.ts";

const OLDEST_NODE = "node20";

/** Writes `cli/quarry.js`: the commands, with all that they import. Some of it calls `require`. */
export async function bundleCommands(dist = join(PROJECT, "dist")): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(PROJECT, "src/cli/quarry.ts")],
    write: false,
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
  const [bundle] = outputFiles;
  replaceFile(join(dist, "cli/quarry.js"), bundle?.contents ?? "", dist);
}
