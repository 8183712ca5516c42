/** Builds what `npm pack` packs: Node.js strips no types below node_modules. */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";

import { askWrangler, reasonSaid } from "../deploy/wrangler-command.ts";
import { PROJECT } from "../installation.ts";
import { whileWaiting } from "../progress.ts";
import { bundleCommands } from "./bundle-commands.ts";
import { withDrafts } from "./drafts.ts";

const DIST = join(PROJECT, "dist");

/** Each file appears whole: two builds may run at once. */
function putInPlace(from: string, folder: string, name: string) {
  mkdirSync(join(DIST, folder), { recursive: true });
  renameSync(join(from, name), join(DIST, folder, name));
}

async function buildInto(drafts: string) {
  const worker = ["--outdir", drafts, "--minify", "--env", ""];
  const said = await askWrangler(["deploy", "--dry-run", ...worker]);
  if (said.code !== 0) throw new Error(`The Worker cannot be built: ${reasonSaid(said)}`);
  await bundleCommands(drafts);
}

await withDrafts(DIST, async (drafts) => {
  await whileWaiting(process.stderr, "Building the Worker and the commands", buildInto(drafts));
  putInPlace(drafts, "worker", "index.js");
  putInPlace(drafts, "cli", "quarry.js");
  process.stderr.write("Packing\n");
});
