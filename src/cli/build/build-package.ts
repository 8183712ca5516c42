/** Builds what `npm pack` packs: Node.js strips no types below node_modules. */
import { whileWaiting } from "../progress.ts";
import { buildService } from "./build-service.ts";
import { bundleCommands } from "./bundle-commands.ts";

await whileWaiting(
  process.stderr,
  "Building the Worker and the commands",
  buildService({ minify: true }).then(() => bundleCommands()),
);
process.stderr.write("Packing\n");
