import { spawn } from "node:child_process";
import type { ChildProcess, StdioOptions } from "node:child_process";
import { join, resolve } from "node:path";

/** The project's own folder: wrangler finds its configuration there. */
export const PROJECT = resolve(import.meta.dirname, "../../..");
const WRANGLER = join(PROJECT, "node_modules/.bin/wrangler");

/** Keeps wrangler off the network and off questions. */
const QUIET = { CLOUDFLARE_CF_FETCH_ENABLED: "false", WRANGLER_SEND_METRICS: "false", CI: "1" };

/**
 * Starts wrangler. In a process group of its own all of it can be ended together; in ours it can
 * read the terminal.
 */
export function spawnWrangler(
  args: string[],
  { stdio, ownGroup }: { stdio: StdioOptions; ownGroup: boolean },
): ChildProcess {
  const env = { ...process.env, ...QUIET };
  return spawn(WRANGLER, args, { cwd: PROJECT, env, stdio, detached: ownGroup });
}

/** Sends a signal to the group that a child leads; false when it is gone already. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}
