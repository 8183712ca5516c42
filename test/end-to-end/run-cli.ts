import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { PROJECT } from "../../src/cli/worker/wrangler.ts";

/** A port that nothing listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => found(port));
    });
  });
}

export type Finished = { code: number | null; stdout: string; stderr: string };

export type Running = {
  child: ChildProcess;
  /** Resolves with all of standard output so far once it holds the text. */
  untilItSays: (text: string) => Promise<string>;
  finished: Promise<Finished>;
};

/** Starts a command as a person would, on this very Node.js. */
export function startCli(
  script: "start" | "dev" | "quarry",
  args: string[],
  environment: Record<string, string> = {},
): Running {
  const file = join(PROJECT, "src/cli", `${script}.ts`);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: PROJECT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  const listen = (name: "stdout" | "stderr") =>
    child[name].on("data", (piece: Buffer) => {
      said[name] += piece.toString();
      for (const look of watchers) look();
    });
  listen("stdout");
  listen("stderr");
  const finished = new Promise<Finished>((ended) => {
    child.once("close", (code) => ended({ code, ...said }));
  });
  const untilItSays = (text: string) =>
    new Promise<string>((found, failed) => {
      const look = () => {
        if (said.stdout.includes(text)) found(said.stdout);
      };
      watchers.add(look);
      void finished.then(({ stderr }) => failed(new Error(`It ended first. ${stderr}`)));
      look();
    });
  return { child, untilItSays, finished };
}

/** @throws with what it said when the command ended with anything but 0. */
export function expectSuccess({ code, stdout, stderr }: Finished): void {
  if (code !== 0) throw new Error(`It ended with ${code}.\n${stdout}\n${stderr}`);
}

export function runCli(...call: Parameters<typeof startCli>): Promise<Finished> {
  return startCli(...call).finished;
}
