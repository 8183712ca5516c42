import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

import { CommandFailure } from "../failure.ts";
import { applyMigrations } from "./apply-migrations.ts";
import { claimState } from "./claim-state.ts";
import { checkPortIsFree } from "./free-port.ts";
import { configArguments } from "./packed-config.ts";
import { OWNER_ONLY } from "./protect-state.ts";
import { problemOfStart } from "./problem-of-start.ts";
import { followWorkerLog } from "./worker-log.ts";
import { signalGroup, spawnWranglerGroup } from "./wrangler.ts";

export type WorkerSettings = {
  port: number;
  /** Where local state lives: database, files, indexes, the log. */
  stateFolder: string;
  /** `NAME:VALUE`; they override those of wrangler.toml. */
  vars: string[];
  /** Files of secrets that replace `.dev.vars`; see `modelSettings`. */
  envFiles?: string[];
  /** Port of the debugger; any free port unless given. */
  inspectorPort?: number;
  /** wrangler's configuration; the project's wrangler.toml unless given. */
  configuration?: string | undefined;
  tell: (line: string) => void;
};

export type RunningWorker = {
  url: string;
  /** Leader of the process group that runs the Worker. */
  pid: number;
  /** Settles when the Worker ends by itself. */
  ended: Promise<void>;
  stop: () => Promise<void>;
};

const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 5_000;
const STOP_POLL_EVERY_MS = 50;
const LINES_OF_LOG = 15;

/**
 * Migrates, starts `wrangler dev` and waits until it answers.
 * @throws CommandFailure when the port or the state folder is taken, or the Worker does not come up.
 */
export async function startWorker(settings: WorkerSettings): Promise<RunningWorker> {
  const { port, stateFolder } = settings;
  await checkPortIsFree(port);
  const release = await claimState(stateFolder, port);
  await applyMigrations(stateFolder);
  const logPath = join(stateFolder, "worker.log");
  const child = spawnWranglerGroup([
    ...argumentsOf(settings),
    ...(await configArguments(stateFolder)),
  ]);
  endWithUs(child);
  const streams = [child.stdout, child.stderr].filter((out): out is Readable => out !== null);
  followWorkerLog(streams, createWriteStream(logPath, { mode: OWNER_ONLY }), settings.tell);
  const ended = once(child, "exit").then(() => undefined);
  const stop = async () => {
    await stopGroup(child);
    release();
  };
  // The loopback address in digits: `localhost` can resolve to an address where nothing listens.
  const probe = `http://127.0.0.1:${port}/api/openapi.json`;
  const problem = await problemOfStart(probe, ended, START_TIMEOUT_MS);
  if (problem !== null) {
    await stop();
    throw new CommandFailure(problem === "" ? await endOf(logPath) : problem);
  }
  return { url: `http://localhost:${port}`, pid: child.pid ?? 0, ended, stop };
}

function argumentsOf({
  port,
  stateFolder,
  vars,
  envFiles = [],
  inspectorPort = 0,
  configuration,
}: WorkerSettings): string[] {
  const listening = ["--ip", "127.0.0.1", "--port", String(port)];
  const inspector = ["--inspector-port", String(inspectorPort)];
  const quiet = ["--persist-to", stateFolder, "--show-interactive-dev-session=false"];
  const pairs = vars.flatMap((pair) => ["--var", pair]);
  const files = envFiles.flatMap((file) => ["--env-file", file]);
  const config = configuration === undefined ? [] : ["--config", configuration];
  return ["dev", ...config, ...listening, ...inspector, ...quiet, ...pairs, ...files];
}

async function endOf(logPath: string): Promise<string> {
  const lines = (await readFile(logPath, "utf8").catch(() => "")).trimEnd().split("\n");
  const last = lines.slice(-LINES_OF_LOG).join("\n  ");
  return `The Worker did not start. The end of ${logPath}:\n  ${last}`;
}

/** Sends SIGTERM, waits until no process of the group is left, then sends SIGKILL. */
async function stopGroup(child: ChildProcess): Promise<void> {
  signalGroup(child, "SIGTERM");
  const giveUpAt = Date.now() + STOP_TIMEOUT_MS;
  while (Date.now() < giveUpAt) {
    if (!signalGroup(child, 0)) return;
    await pause(STOP_POLL_EVERY_MS);
  }
  signalGroup(child, "SIGKILL");
}

/** Kills the child when this process ends. */
function endWithUs(child: ChildProcess): void {
  const kill = () => void signalGroup(child, "SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
}
