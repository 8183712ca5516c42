/** Builds what `npm pack` packs: Node.js strips no types below node_modules. */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";

import { PROJECT } from "../installation.ts";
import { whileWaiting } from "../progress.ts";
import { buildService } from "./build-service.ts";
import { bundleCommands } from "./bundle-commands.ts";
import { withDrafts } from "./drafts.ts";

const DIST = join(PROJECT, "dist");

/** Each file appears whole: two builds may run at once. */
function putInPlace(from: string, folder: string, name: string) {
  mkdirSync(join(DIST, folder), { recursive: true });
  renameSync(join(from, name), join(DIST, folder, name));
}

await withDrafts(DIST, async (drafts) => {
  await whileWaiting(
    process.stderr,
    "Building the Worker and the commands",
    Promise.all([buildService({ minify: true }), bundleCommands(drafts)]),
  );
  putInPlace(drafts, "cli", "quarry.js");
  process.stderr.write("Packing\n");
});
