import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

import { isObject } from "../../core/is-object.ts";
import { awaitOrNull } from "../../core/work/deadline.ts";
import { CommandFailure } from "../failure.ts";
import { whileWaiting } from "../progress.ts";
import { LOOPBACK } from "./claim-state.ts";
import { endOfNpm } from "./processes.ts";
import { followWorkerLog } from "./worker-log.ts";
import type { Variables } from "./worker-variables.ts";
import { applyMigrations, buildIfChanged, spawnService } from "./workerd.ts";

export type WorkerSettings = {
  port: number;
  /** The loopback address, or one that means all: the commands reach the service by loopback. */
  host?: string | undefined;
  /** Where local state lives: database, files, indexes, the log. */
  stateFolder: string;
  /** They override those of wrangler.toml. */
  variables: Variables;
  /** A file of dist/worker, in place of the usual configuration. */
  config?: string | undefined;
  tell: (line: string) => void;
};

export type RunningWorker = Awaited<ReturnType<typeof startWorker>>;

const START_TIMEOUT_MS = 90_000;
/** Requests in flight are finished within it. */
const STOP_TIMEOUT_MS = 10_000;

/**
 * Builds, migrates, starts workerd and waits until the Worker answers. This process has claimed the
 * state folder. @throws CommandFailure when the Worker does not come up.
 */
export async function startWorker(settings: WorkerSettings) {
  const { port, stateFolder, host = LOOPBACK } = settings;
  await buildIfChanged("database");
  await Promise.all([applyMigrations(stateFolder, settings.tell), buildIfChanged("service")]);
  const address = host.includes(":") ? `[${host}]` : host;
  const child = spawnService(
    stateFolder,
    `${address}:${port}`,
    settings.variables,
    settings.config,
  );
  const streams = [child.stdout, child.stderr].filter((out): out is Readable => out !== null);
  const logPath = join(stateFolder, "worker.log");
  const log = followWorkerLog(streams, logPath, settings.tell);
  const exit = once(child, "exit").then(() => true);
  const stop = async () => {
    child.kill("SIGTERM");
    if ((await awaitOrNull(exit, STOP_TIMEOUT_MS)) === null) child.kill("SIGKILL");
  };
  // The loopback address in digits: `localhost` can resolve to an address where nothing listens.
  const probe = `http://${host.includes(":") ? "[::1]" : LOOPBACK}:${port}/health`;
  const problem = await problemOfStart(probe, exit, START_TIMEOUT_MS);
  if (problem !== null) {
    await stop();
    const lines = ["The Worker did not start. The end of its log:", ...log.lastLines()];
    throw new CommandFailure(problem === "" ? lines.join("\n  ") : problem);
  }
  // `pid` leads the process group that runs the Worker; `ended` settles when it ends by itself.
  return {
    url: `http://localhost:${port}`,
    pid: child.pid ?? 0,
    lastReason: log.lastReason,
    ended: exit,
    stop,
  };
}

const POLL_EVERY_MS = 50;

/** Null once a Worker answers; its words if it fails; empty: it ended, or was too late. */
export async function problemOfStart(probe: string, exit: Promise<unknown>, withinMs: number) {
  const giveUpAt = Date.now() + withinMs;
  let isOver = false;
  while (!isOver && Date.now() < giveUpAt) {
    const response = await fetch(probe).catch(() => null);
    if (response?.ok === true) {
      await response.body?.cancel();
      return null;
    }
    const answer: unknown = await response?.json().catch(() => null);
    const error = isObject(answer) ? answer["error"] : null;
    if (response?.status === 500 && typeof error === "string") return error;
    isOver = await Promise.race([pause(POLL_EVERY_MS, false), exit.then(() => true)]);
  }
  return "";
}

/** Shells report 128 and the signal's number for a program that a signal ended. */
const SIGNAL_EXITS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Runs `work` against a Worker that lives as long as the work does. Ctrl-C ends both; a second
 * one, or one while the Worker is still starting, ends them at once. For a service, SIGTERM is the
 * regular end: systemd and containers take any code but 0 for a failure.
 * @throws CommandFailure when the Worker ends before the work; whatever the work throws.
 */
export async function withWorker(
  settings: WorkerSettings & { output: NodeJS.WritableStream; isService: boolean },
  work: (worker: RunningWorker, stopping: AbortSignal) => Promise<void>,
): Promise<void> {
  let endGracefully = (): Promise<void> => Promise.resolve();
  const stopping = new AbortController();
  const interrupt = (exitCode: number) => {
    stopping.abort();
    const ending = endGracefully();
    endGracefully = () => Promise.resolve();
    // Exiting ends the remaining processes of the group.
    void ending.then(() => process.exit(exitCode));
  };
  for (const [signal, exitCode] of Object.entries(SIGNAL_EXITS)) {
    const isEnd = settings.isService && signal === "SIGTERM";
    process.on(signal, () => interrupt(isEnd ? 0 : exitCode));
  }
  void endOfNpm().then(() => interrupt(SIGNAL_EXITS.SIGINT));
  const starting = startWorker(settings);
  const worker = await whileWaiting(settings.output, "Starting the Worker", starting);
  endGracefully = worker.stop;
  const exitOfWorker = worker.ended.then(() => "gone" as const);
  try {
    const outcome = await Promise.race([work(worker, stopping.signal), exitOfWorker]);
    // Waits for the exit above.
    if (stopping.signal.aborted) await new Promise(() => undefined);
    if (outcome === "gone")
      throw new CommandFailure(
        "The Worker ended unexpectedly. See worker.log in the state folder.",
      );
  } finally {
    await worker.stop();
  }
}
