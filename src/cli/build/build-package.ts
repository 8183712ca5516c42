/**
 * Builds what `npm pack` packs beside the sources of the sample and the migrations: Node.js strips
 * no types below node_modules, and nobody who installs the package has to bundle the Worker.
 */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";

import { bundleCommands } from "./bundle-commands.ts";
import { runWrangler } from "../deploy/wrangler-command.ts";
import { withDrafts } from "./drafts.ts";
import { PROJECT } from "../installation.ts";

const DIST = join(PROJECT, "dist");

/** Each file appears whole: two builds may run at once. */
function putInPlace(from: string, folder: string, name: string) {
  mkdirSync(join(DIST, folder), { recursive: true });
  renameSync(join(from, name), join(DIST, folder, name));
}

await withDrafts(DIST, async (drafts) => {
  const worker = ["--outdir", drafts, "--minify", "--env", ""];
  await runWrangler(["deploy", "--dry-run", ...worker], "Building the Worker");
  await bundleCommands(drafts);
  putInPlace(drafts, "worker", "index.js");
  putInPlace(drafts, "cli", "quarry.js");
});
