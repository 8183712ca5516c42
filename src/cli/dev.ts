import { Command } from "commander";

import { readDemoState } from "./demo/demo-state.ts";
import { spawnWrangler } from "./deploy/wrangler-command.ts";
import { DEFAULT_STATE } from "./installation.ts";
import { whileWaiting } from "./progress.ts";
import { afterHelp, collect, runCommand } from "./run-command.ts";
import { pathOfUser } from "./terminal.ts";
import { checkPortIsFree, claimState } from "./worker/claim-state.ts";
import { endOfNpm, exitCodeOf } from "./worker/processes.ts";
import { encryptionKeys, writeVariables } from "./worker/state-files.ts";
import { checkVariables, readVariables, pairOf } from "./worker/worker-variables.ts";
import { applyMigrations, buildIfChanged } from "./worker/workerd.ts";

/** No network, no questions, no trace of every request in the local state: nobody reads it. */
const QUIET = { CLOUDFLARE_CF_FETCH_ENABLED: "false", X_LOCAL_OBSERVABILITY: "false", CI: "1" };
/** Other users cannot read what wrangler writes to the state folder. */
const OWNER_ONLY_MASK = 0o077;

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
  const variables = Object.fromEntries(pairs.map(pairOf));
  const environment = await readVariables({ ...process.env, ...variables });
  checkVariables({ ...environment, ...variables }, isLocal);
  await checkPortIsFree(Number(options.port));
  claimState(stateFolder, Number(options.port));
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const migrating = buildIfChanged("database").then(() => applyMigrations(stateFolder, say));
  await whileWaiting(process.stdout, "Setting up the local database", migrating);
  const all = { ...environment, ...variables };
  const keys = isLocal ? encryptionKeys(stateFolder, all) : {};
  // wrangler reads the file in place of .dev.vars, which is among the given ones.
  const file = writeVariables(stateFolder, { ...keys, ...environment });
  const vars = pairs.flatMap((pair) => ["--var", pair]);
  // The password that `npm start` set is replaced by the known one at the next sign-in.
  const { password } = await readDemoState(stateFolder);
  if (password !== null) vars.push("--var", "PANEL_ADMIN_RESET:true");
  const url = `http://localhost:${options.port}`;
  const { PANEL_ADMIN_EMAIL: email, PANEL_ADMIN_PASSWORD: secret } = all;
  const signIn = isLocal ? `\n  Sign in as ${email}, password ${secret}` : "";
  process.stdout.write(`Panel: ${url}/panel${signIn}\nAPI: ${url}/api/docs\n`);
  const fixed = ["--port", options.port, "--persist-to", stateFolder, "--env-file", file, ...vars];
  process.umask(OWNER_ONLY_MASK);
  const child = spawnWrangler(["dev", ...fixed, ...command.args], "inherit", QUIET);
  // Ctrl-C reaches wrangler directly; other signals are forwarded.
  process.on("SIGINT", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  void endOfNpm().then(() => child.kill("SIGTERM"));
  process.exitCode = (await exitCodeOf(child)) ?? 0;
}

await runCommand(program);
