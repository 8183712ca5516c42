/** wrangler's [build] command: what browsers load, and for `wrangler dev` tables in its own state. */
import { join } from "node:path";

import { PROJECT } from "../installation.ts";
import { applyMigrations } from "../worker/workerd.ts";
import { buildAssets } from "./build-assets.ts";
import { buildDatabase } from "./build-service.ts";

// A local server runs this with the mask of its state folder; what is built here is no secret.
process.umask(0o022);
buildAssets();
if (process.env["WRANGLER_COMMAND"] === "dev") {
  await buildDatabase();
  await applyMigrations(join(PROJECT, ".wrangler/state"));
}
