import { build } from "esbuild";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { freePort } from "../../end-to-end/run-cli.ts";

/** The path of the binary that wrangler runs too; the package is CommonJS without types. */
const { default: workerd } = createRequire(import.meta.url)("workerd") as { default: string };
const POLL_MS = 50;
const START_LIMIT_MS = 20_000;

export type Workerd = {
  address: URL;
  pid: number;
  stop: () => Promise<void>;
  /** The output so far; empty unless flags were given. */
  output: () => string;
};

export type WorkerdOptions = {
  /** One kind of Durable Object that the Worker binds. */
  durableObject?: { binding: string; className: string };
  /** For V8; what it then prints is kept. */
  v8Flags?: string[];
  /** Where its objects' databases stay when it stops; without it they go with it. */
  stateFolder?: string;
};

const objectOf = ({ binding, className }: { binding: string; className: string }) => `,
      durableObjectNamespaces = [
        (className = "${className}", uniqueKey = "bench", enableSql = true)
      ],
      durableObjectStorage = (localDisk = "state"),
      bindings = [(name = "${binding}", durableObjectNamespace = "${className}")]`;

const configOf = (port: number, state: string, { durableObject, v8Flags = [] }: WorkerdOptions) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ${JSON.stringify(v8Flags)},
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-10-15"${durableObject === undefined ? "" : objectOf(durableObject)}
    )),
    (name = "state", disk = (path = "${state}", writable = true))
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
`;

/** Runs a Worker in workerd itself, with no proxy before it. */
export async function startWorkerd(entry: string, options: WorkerdOptions = {}): Promise<Workerd> {
  const folder = mkdtempSync(join(tmpdir(), "quarry-bench-"));
  const state = options.stateFolder ?? join(folder, "state");
  mkdirSync(state, { recursive: true });
  await build({
    entryPoints: [entry],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2024",
    external: ["cloudflare:workers", "node:*"],
    logLevel: "error",
  });
  const port = await freePort();
  writeFileSync(join(folder, "config.capnp"), configOf(port, state, options));
  const keepsOutput = (options.v8Flags ?? []).length > 0;
  const stdio = keepsOutput ? "pipe" : "inherit";
  const child = spawn(workerd, ["serve", "config.capnp"], {
    cwd: folder,
    stdio: ["inherit", stdio, "inherit"],
  });
  let printed = "";
  child.stdout?.on("data", (data: Buffer) => {
    printed += data.toString();
  });
  const stop = async () => {
    // Closed, not only ended: what it printed last has then arrived.
    if (child.exitCode === null && child.signalCode === null && child.kill()) {
      await once(child, "close");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const address = new URL(`http://127.0.0.1:${port}`);
  const giveUpAt = Date.now() + START_LIMIT_MS;
  while (!(await answers(address))) {
    if (Date.now() > giveUpAt || child.exitCode !== null) {
      await stop();
      throw new Error("workerd did not start");
    }
    await delay(POLL_MS);
  }
  return { address, pid: child.pid ?? 0, stop, output: () => printed };
}

async function answers(address: URL): Promise<boolean> {
  return fetch(address, { method: "OPTIONS" }).then(
    () => true,
    () => false,
  );
}
