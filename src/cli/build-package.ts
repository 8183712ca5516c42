/**
 * Builds what `npm pack` packs beside the sources of the sample and the migrations: Node.js strips
 * no types below node_modules, and nobody who installs the package has to bundle the Worker.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

import { runWrangler } from "./deploy/wrangler-command.ts";
import { PROJECT } from "./installation.ts";
import { replaceFile } from "./replace-file.ts";

const OLDEST_NODE = "node20";

/** The commands, with all that they import. Some of it is CommonJS and calls `require`. */
async function buildCommands(outdir: string) {
  await build({
    entryPoints: [join(PROJECT, "src/cli/quarry.ts")],
    outfile: join(outdir, "quarry.js"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: OLDEST_NODE,
    banner: {
      js: 'import { createRequire as quarryRequire } from "node:module"; const require = quarryRequire(import.meta.url);',
    },
  });
}

const DIST = join(PROJECT, "dist");

/** What is built in a folder of its own is put into place whole: two builds may run at once. */
function putInPlace(from: string, folder: string, name: string) {
  mkdirSync(join(DIST, folder), { recursive: true });
  replaceFile(join(DIST, folder, name), readFileSync(join(from, name)));
}

mkdirSync(DIST, { recursive: true });
const drafts = mkdtempSync(join(DIST, ".package-"));
try {
  const worker = ["--outdir", drafts, "--minify", "--env", ""];
  await runWrangler(["deploy", "--dry-run", ...worker], "Building the Worker");
  await buildCommands(drafts);
  putInPlace(drafts, "worker", "index.js");
  putInPlace(drafts, "cli", "quarry.js");
} finally {
  rmSync(drafts, { recursive: true, force: true });
}
