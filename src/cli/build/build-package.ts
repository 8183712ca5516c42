/** Builds what `npm pack` packs: Node.js strips no types below node_modules. */
import { whileWaiting } from "../progress.ts";
import { buildDatabase, buildService, bundleCommands } from "./build-service.ts";

await whileWaiting(
  process.stderr,
  "Building the Worker and the commands",
  buildDatabase()
    .then(() => buildService({ minify: true }))
    .then(() => bundleCommands()),
);
process.stderr.write("Packing\n");
