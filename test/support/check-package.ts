/**
 * Packs the service as `npm pack` does, unpacks it as an installation lies below `node_modules`,
 * and runs it there: it serves, indexes and answers, and writes nothing beside itself.
 */
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PROJECT, versionOfProject } from "../../src/cli/installation.ts";
import { isObject } from "../../src/core/is-object.ts";
import { freePort } from "../end-to-end/run-cli.ts";

const scratch = mkdtempSync(join(tmpdir(), "quarry-package-"));
const modules = join(scratch, "node_modules");
const installed = join(modules, "quarry");
const home = join(scratch, "home");

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: scratch,
    env: { ...process.env, HOME: home },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`);
  return stdout;
}

const quarry = (...args: string[]) =>
  run(process.execPath, join(installed, "src/cli/bin/quarry.js"), ...args);

function install() {
  mkdirSync(installed, { recursive: true });
  mkdirSync(home);
  run("npm", "pack", PROJECT, "--silent", "--pack-destination", scratch);
  const archive = join(scratch, `quarry-${versionOfProject()}.tgz`);
  run("tar", "-xzf", archive, "-C", installed, "--strip-components=1");
  symlinkSync(join(PROJECT, "node_modules/workerd"), join(modules, "workerd"));
}

const files = () => readdirSync(installed, { recursive: true }).join("\n");

/** The command of the unit in docs/examples, with folders and a port of this test. */
function commandOfUnit(documents: string, port: number): string[] {
  const unit = readFileSync(join(PROJECT, "docs/examples/quarry.service"), "utf8");
  const [, command = ""] = /^ExecStart=\S+\/quarry (.*)$/m.exec(unit) ?? [];
  const places: Record<string, string> = {
    "/srv/documents": documents,
    "/var/lib/quarry/state": join(home, ".quarry"),
    "8787": String(port),
  };
  return command.split(" ").map((word) => places[word] ?? word);
}

/** Runs `start` on a folder of one document, and returns its answer. */
function answered(port: number): string {
  const documents = join(scratch, "documents");
  mkdirSync(documents);
  writeFileSync(join(documents, "leave.md"), "# Leave\n\nEverybody has 26 days of leave a year.\n");
  const options = ["--once", "--json", "--embedded"];
  const output: unknown = JSON.parse(quarry(...commandOfUnit("documents", port), ...options));
  return isObject(output) ? JSON.stringify(output["inference"]) : "nothing";
}

try {
  install();
  const before = files();
  const problems = [
    ...(quarry("--version").trim() === versionOfProject() ? [] : ["it has another version"]),
    ...(quarry("--help").includes("Usage: npx quarry") ? [] : ["--help does not tell the usage"]),
    ...(answered(await freePort()).includes("26 days") ? [] : ["it answered nothing"]),
    ...(readdirSync(home).includes(".quarry") ? [] : ["its state is not in the home folder"]),
    ...(before.includes(".dev.vars") ? ["it holds .dev.vars, where developers put keys"] : []),
    ...(files() === before ? [] : [`it wrote beside itself: ${files()}`]),
  ];
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
