import { spawn, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { PROJECT } from "../../src/cli/installation.ts";
import { checkPortIsFree } from "../../src/cli/worker/claim-state.ts";

const MIN_PORT = 20_000;
/** Below where systems take the ports of outgoing connections from. */
const MAX_PORT = 32_000;

/** A port that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(MIN_PORT, MAX_PORT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return checkPortIsFree(port).then(
    () => true,
    () => false,
  );
}

const POLL_EVERY_MS = 50;

/** Killed processes give their port back a moment later. */
export async function untilFree(port: number): Promise<void> {
  while (!(await isFree(port))) await pause(POLL_EVERY_MS);
}

export type Finished = { code: number | null; stdout: string; stderr: string };

export type Running = {
  child: ChildProcess;
  /** Resolves with all of standard output so far once either output holds the text. */
  untilItSays: (text: string) => Promise<string>;
  finished: Promise<Finished>;
};

/** Starts a command as a person would; on this very Node.js, but for npm. */
export function startCli(
  script: "npm start" | "start" | "dev" | "quarry" | "deploy",
  args: string[],
  environment: Record<string, string> = {},
): Running {
  const [command, first] =
    script === "npm start"
      ? ["npm", ["start", "--"]]
      : [process.execPath, [join(PROJECT, "src/cli", `${script}.ts`)]];
  const child = spawn(command, [...first, ...args], {
    cwd: PROJECT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  const listen = (name: "stdout" | "stderr") =>
    child[name].on("data", (piece: Buffer) => {
      output[name] += piece.toString();
      for (const look of watchers) look();
    });
  listen("stdout");
  listen("stderr");
  const finished = new Promise<Finished>((resolve) => {
    child.once("close", (code) => resolve({ code, ...output }));
  });
  const untilItSays = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (`${output.stdout}\n${output.stderr}`.includes(text)) resolve(output.stdout);
      };
      watchers.add(look);
      void finished.then(({ stderr }) => reject(new Error(`It ended first. ${stderr}`)));
      look();
    });
  return { child, untilItSays, finished };
}

/** @throws with what it said when the command ended with anything but 0. */
export function expectSuccess({ code, stdout, stderr }: Finished): void {
  if (code !== 0) throw new Error(`It exited with code ${code}.\n${stdout}\n${stderr}`);
}

export function runCli(...call: Parameters<typeof startCli>): Promise<Finished> {
  return startCli(...call).finished;
}
