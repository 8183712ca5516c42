import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { checkPortIsFree } from "../../src/cli/worker/claim-state.ts";
import { startWorker } from "../../src/cli/worker/start-worker.ts";
import { makeRag, variablesOf } from "../end-to-end/local-service.ts";
import { freePort } from "../end-to-end/run-cli.ts";

/** A program of others that one of our doubles stands for, or that speaks with the service. */
export type Counterpart = {
  about: string;
  /** Installs it by its own registry. Returns its version. @throws NotInstalled */
  install: (tools: Tools) => Promise<string>;
  check: (tools: Tools) => Promise<void>;
};

/** It cannot be installed on this machine: a sentence that says why. */
export class NotInstalled extends Error {}

/** Nothing of a counterpart runs longer. */
const TIMEOUT_MS = 15 * 60_000;
const START_TIMEOUT_MS = 3 * 60_000;
const POLL_EVERY_MS = 100;

const isTaken = (port: number) =>
  checkPortIsFree(port).then(
    () => false,
    () => true,
  );

type Finished = { code: number | null; stdout: string; stderr: string };
type Running = { child: ChildProcess; output: () => string };

/** Waits until the assertions hold, and fails with theirs when they never do. */
export async function until<Result>(assertions: () => Promise<Result>): Promise<Result> {
  const giveUpAt = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      return await assertions();
    } catch (thrown) {
      if (Date.now() > giveUpAt) throw thrown;
      await pause(POLL_EVERY_MS);
    }
  }
}

/** Helpers of a counterpart. Whatever was started through them ends with `close`. */
export class Tools {
  /** Kept between runs. */
  readonly cache: string;
  /** Removed at the end. */
  readonly scratch = mkdtempSync(join(tmpdir(), "quarry-real-"));
  readonly results: { title: string; failure: unknown }[] = [];
  readonly #ends: (() => unknown)[] = [];

  constructor(name: string) {
    const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
    this.cache = join(caches, "quarry-real", name);
    mkdirSync(this.cache, { recursive: true });
  }

  /** One check of a table; the next go on after a failure. */
  async check(title: string, test: () => unknown): Promise<void> {
    let failure: unknown = null;
    try {
      await test();
    } catch (thrown) {
      failure = thrown;
    }
    this.results.push({ title, failure });
    console.log(`${failure === null ? "ok    " : "FAILED"} ${title}`);
    if (failure !== null) console.log(failure);
  }

  onClose(end: () => unknown): void {
    this.#ends.unshift(end);
  }

  async close(): Promise<void> {
    for (const end of this.#ends) await end();
    rmSync(this.scratch, { recursive: true, force: true });
  }

  /** A command that has to succeed. @throws Error with the end of what it printed */
  async run(command: string, args: string[], options: SpawnOptions = {}): Promise<Finished> {
    const result = await this.tryRun(command, args, options);
    if (result.code === 0) return result;
    const end = `${result.stdout}\n${result.stderr}`.slice(-3_000);
    throw new Error(`${command} ${args.join(" ")} ended with ${result.code}: ${end}`);
  }

  async tryRun(command: string, args: string[], options: SpawnOptions = {}): Promise<Finished> {
    const child = this.#spawn(command, args, { ...options, timeout: TIMEOUT_MS });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.on("data", (piece: Buffer) => (output[name] += piece.toString()));
    }
    const [code] = (await once(child, "close")) as [number | null];
    return { code, ...output };
  }

  /** A server, once this port of loopback takes connections. */
  async start(
    command: string,
    args: string[],
    port: number,
    { patienceMs = START_TIMEOUT_MS, ...options }: SpawnOptions & { patienceMs?: number } = {},
  ) {
    const child = this.#spawn(command, args, options);
    let text = "";
    child.stdout?.on("data", (piece: Buffer) => (text += piece.toString()));
    child.stderr?.on("data", (piece: Buffer) => (text += piece.toString()));
    const running: Running = { child, output: () => text };
    const giveUpAt = Date.now() + patienceMs;
    while (Date.now() < giveUpAt && child.exitCode === null) {
      if (await isTaken(port)) return running;
      await pause(POLL_EVERY_MS);
    }
    throw new Error(`${command} did not listen at ${port}: ${text.slice(-3_000)}`);
  }

  /** The service of `npm start` on a state of its own, with a source and a RAG called `docs`. */
  async quarry(variables: string[] = [], port?: number) {
    const settings = {
      port: port ?? (await freePort()),
      stateFolder: mkdtempSync(join(this.scratch, "state-")),
      variables: await variablesOf([
        "RATE_LIMIT_API:10000",
        "RATE_LIMIT_LOGIN:1000",
        "ALLOW_PRIVATE_URLS:true",
        ...variables,
      ]),
      tell: (line: string) => void process.stderr.write(`${line}\n`),
    };
    const { url, stop } = await startWorker(settings);
    this.onClose(stop);
    return { url, port: settings.port, stateFolder: settings.stateFolder };
  }

  async quarryWithRag(variables: string[] = []) {
    const service = await this.quarry(variables);
    return { ...service, ...(await makeRag(service.url)) };
  }

  port = freePort;

  /** The path of a command. @throws NotInstalled that names Debian's package */
  needs(command: string, debianPackage: string): string {
    const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];
    const path = folders.map((folder) => join(folder, command)).find((file) => existsSync(file));
    if (path !== undefined) return path;
    throw new NotInstalled(`${command} is missing: apt-get install ${debianPackage}`);
  }

  /** A Python with these packages of PyPI, in the cache. Returns the folder of its programs. */
  async python(packages: string[]): Promise<string> {
    const folder = join(this.cache, "venv");
    const bin = join(folder, "bin");
    if (!existsSync(join(bin, "pip"))) {
      await this.#installed(this.needs("python3", "python3-venv"), ["-m", "venv", folder]);
    }
    await this.#installed(join(bin, "pip"), ["install", "--quiet", ...packages]);
    return bin;
  }

  /** @throws NotInstalled with the last line of what the command printed */
  async #installed(command: string, args: string[], options: SpawnOptions = {}): Promise<void> {
    const { code, stderr } = await this.tryRun(command, args, options);
    if (code !== 0) throw new NotInstalled(stderr.trim().split("\n").at(-1) ?? command);
  }

  /** A command of a Go module, built into the cache. */
  async goInstall(module: string): Promise<string> {
    const env = { ...process.env, GOBIN: this.cache, GOFLAGS: "-p=1" };
    const name = module.replace(/@.*/, "").split("/").at(-1) ?? module;
    const path = join(this.cache, name);
    if (!existsSync(path))
      await this.#installed(this.needs("go", "golang"), ["install", module], { env });
    return path;
  }

  /** Maven artifacts with all that they depend on, copied into a folder. */
  async mavenCopy(artifacts: string[], folder: string): Promise<void> {
    const xml = (values: Record<string, string>) =>
      Object.entries(values)
        .map(([name, value]) => `<${name}>${value}</${name}>`)
        .join("");
    const own = xml({ modelVersion: "4.0.0", groupId: "quarry", artifactId: "real", version: "1" });
    const needed = artifacts.map((artifact) => {
      const [groupId = "", artifactId = "", version = ""] = artifact.split(":");
      return xml({ dependency: xml({ groupId, artifactId, version }) });
    });
    const pom = join(this.scratch, "pom.xml");
    writeFileSync(pom, xml({ project: own + xml({ dependencies: needed.join("") }) }));
    const goal = ["dependency:copy-dependencies", `-DoutputDirectory=${folder}`];
    await this.#installed(this.needs("mvn", "maven"), ["-q", "-f", pom, ...goal]);
  }

  /** One file of Maven, `group:artifact:version:type`, copied into a folder. Returns its path. */
  async mavenFile(artifact: string, folder: string): Promise<string> {
    const [, name = "", version = "", type = "jar"] = artifact.split(":");
    const path = join(folder, `${name}-${version}.${type}`);
    const goal = ["dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
    if (!existsSync(path)) await this.#installed(this.needs("mvn", "maven"), ["-q", ...goal]);
    return path;
  }

  #spawn(command: string, args: string[], options: SpawnOptions): ChildProcess {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    child.once("error", (thrown) => console.error(String(thrown)));
    this.onClose(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      const isOver = await Promise.race([once(child, "exit"), pause(10_000, null)]);
      if (isOver === null) child.kill("SIGKILL");
    });
    return child;
  }
}
