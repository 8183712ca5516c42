import type { ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { PROJECT } from "../installation.ts";
import { spawnPrivately } from "./processes.ts";

/** No network, no questions, no trace of every request in the local state: nobody reads it. */
const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  X_LOCAL_OBSERVABILITY: "false",
  CI: "1",
};

/** Starts wrangler, on this very Node.js, in our own process group, where it can read the terminal. */
export function spawnWrangler(args: string[]): ChildProcess {
  const manifest = createRequire(import.meta.url).resolve("wrangler/package.json");
  const script = join(dirname(manifest), "bin/wrangler.js");
  return spawnPrivately(process.execPath, [script, ...args], {
    cwd: PROJECT,
    env: { ...process.env, ...QUIET },
    stdio: "inherit",
  });
}
