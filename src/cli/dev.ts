import { Command } from "commander";

import { readDemoState } from "./demo/demo-state.ts";
import { DEFAULT_STATE } from "./installation.ts";
import { showWaiting, whileWaiting } from "./progress.ts";
import { afterHelp, collect, runCommand } from "./run-command.ts";
import { pathOfUser } from "./terminal.ts";
import { checkPortIsFree, claimState } from "./worker/claim-state.ts";
import { applyMigrations } from "./worker/local-database.ts";
import { exitCodeOf } from "./worker/processes.ts";
import { encryptionFile, writeVariables } from "./worker/state-files.ts";
import { passOutput } from "./worker/wrangler-output.ts";
import {
  DEV_VARS,
  besidesFile,
  checkVariables,
  givenVariables,
  pairOf,
} from "./worker/worker-variables.ts";
import { buildIfChanged } from "./worker/workerd.ts";
import { spawnWrangler } from "./worker/wrangler.ts";

type DevOptions = { port: string; persistTo: string; var?: string[] };

const program = new Command("npm run dev --")
  .description("Apply the migrations locally and run wrangler dev")
  .option("--port <n>", "port to listen on", "8787")
  .option("--persist-to <dir>", "where local state lives", DEFAULT_STATE)
  .option("--var <name:value>", "set a variable of the Worker (may be repeated)", collect)
  .allowUnknownOption()
  .allowExcessArguments()
  .addHelpText("after", afterHelp("Other options are passed to wrangler dev."))
  .action(dev);

async function dev(options: DevOptions, command: Command): Promise<void> {
  const stateFolder = pathOfUser(options.persistTo);
  const pairs = options.var ?? [];
  const isLocal = !command.args.some((arg) => /^(-e|-c|--env|--config)\b/.test(arg));
  const named = Object.fromEntries(pairs.map(pairOf));
  const given = await givenVariables({ ...process.env, ...named });
  checkVariables({ ...given, ...named }, isLocal);
  await checkPortIsFree(Number(options.port));
  await claimState(stateFolder, Number(options.port));
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const migrating = buildIfChanged("database").then(() => applyMigrations(stateFolder, say));
  await whileWaiting(process.stdout, "Setting up the local database", migrating);
  const beside = besidesFile(process.env, given);
  const all = { ...given, ...named };
  const passed = [
    ...(isLocal ? await encryptionFile(stateFolder, all) : []),
    ...(await writeVariables(stateFolder, "variables.env", beside)),
  ];
  const vars = pairs.flatMap((pair) => ["--var", pair]);
  // The password that `npm start` set is replaced by the known one at the next sign-in.
  const { password } = await readDemoState(stateFolder);
  if (password !== null) vars.push("--var", "PANEL_ADMIN_RESET:true");
  // A named file replaces .dev.vars, so that it is named, too.
  const files = passed.length === 0 || DEV_VARS === null ? passed : [DEV_VARS, ...passed];
  const fixed = ["--port", options.port, "--persist-to", stateFolder, ...vars];
  const args = ["dev", ...fixed, ...files.flatMap((file) => ["--env-file", file]), ...command.args];
  const child = spawnWrangler(args);
  const ready = showWaiting(process.stdout, "Starting the Worker");
  const show = (url: string) => {
    ready();
    const { PANEL_ADMIN_EMAIL: email, PANEL_ADMIN_PASSWORD: secret } = all;
    process.stdout.write(`Panel: ${url}/panel\n`);
    if (isLocal) process.stdout.write(`  Sign in as ${email}, password ${secret}\n`);
    process.stdout.write(`API: ${url}/api/docs\nServing on ${url}. Ctrl-C ends it.\n`);
  };
  if (child.stdout !== null) passOutput(child.stdout, process.stdout, show);
  if (child.stderr !== null) passOutput(child.stderr, process.stderr, show);
  // Ctrl-C reaches wrangler directly; other signals are forwarded.
  process.on("SIGINT", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  const code = await exitCodeOf(child);
  ready();
  process.exitCode = code ?? 0;
}

await runCommand(program);
