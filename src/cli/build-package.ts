/**
 * Builds what `npm pack` packs beside the sources of the sample and the migrations: Node.js strips
 * no types below node_modules, and nobody who installs the package has to bundle the Worker.
 */
import { join } from "node:path";

import { build } from "esbuild";

import { runWrangler } from "./deploy/wrangler-command.ts";
import { PROJECT } from "./installation.ts";

const OLDEST_NODE = "node20";

/** The commands, with all that they import. Some of it is CommonJS and calls `require`. */
async function buildCommands() {
  await build({
    entryPoints: [join(PROJECT, "src/cli/quarry.ts")],
    outfile: join(PROJECT, "dist/cli/quarry.js"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: OLDEST_NODE,
    banner: {
      js: 'import { createRequire as quarryRequire } from "node:module"; const require = quarryRequire(import.meta.url);',
    },
  });
}

const worker = ["--outdir", join(PROJECT, "dist/worker"), "--minify", "--env", ""];
await runWrangler(["deploy", "--dry-run", ...worker], "Building the Worker");
await buildCommands();
