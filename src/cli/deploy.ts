import { Command, Option } from "commander";

import { preflight, reportPreflight } from "./deploy/preflight.ts";
import { applyRemoteMigrations, deployCode, dryRun, warnOfUpgrade } from "./deploy/release.ts";
import { smokeTest } from "./deploy/smoke-test.ts";
import { askWrangler, ENVIRONMENTS, type EnvironmentName } from "./deploy/wrangler-command.ts";
import { whileWaiting } from "./progress.ts";
import { afterHelp, runCommand } from "./run-command.ts";
import { parseServiceUrl } from "./target-options.ts";
import { openTerminal } from "./terminal.ts";

type DeployOptions = {
  env: EnvironmentName;
  check?: true;
  dryRun?: true;
  url?: string;
  smoke: boolean;
  json?: true;
};

const program = new Command("npm run deploy --")
  .description(
    "Check the account, apply the migrations, deploy, and test the deployed service.\n" +
      "If something is missing, the command prints how to create it and changes nothing.",
  )
  .addOption(
    new Option("--env <name>", "which [env.…] of wrangler.toml")
      .choices(ENVIRONMENTS)
      .default("production"),
  )
  .option("--check", "only check the account; the exit code is 1 if something is missing")
  .option("--dry-run", "build everything, offline, and deploy nothing")
  .option("--url <url>", "address to test afterwards (default: what wrangler deployed to)")
  .option("--no-smoke", "do not test the deployed address")
  .option("--json", "print the checks as JSON to standard output")
  .addHelpText(
    "after",
    afterHelp("Environment (all optional):", {
      CLOUDFLARE_API_TOKEN: "replaces npx wrangler login",
      CLOUDFLARE_ACCOUNT_ID: "account to use, if you have several",
      QUARRY_SMOKE_ADMIN:
        "EMAIL:PASSWORD of an administrator: compares the deployed service with the API " +
        "specification and removes the resources that the test makes",
    }),
  )
  .action(deploy);

async function deploy(options: DeployOptions): Promise<void> {
  const terminal = openTerminal(options.json === true);
  // Its first line comes before wrangler is loaded, which takes a second or more.
  terminal.say(`Reading wrangler.toml (${options.env})`);
  const { readDeploySettings } = await import("./deploy/settings.ts");
  const settings = readDeploySettings(options.env);
  if (options.dryRun === true) return dryRun(terminal, settings);
  const looking = preflight(askWrangler, settings);
  const findings = await whileWaiting(terminal.output, "Checking the account", looking);
  reportPreflight(terminal, settings, findings);
  terminal.result(findings);
  if (!findings.ready) {
    process.exitCode = 1;
    return;
  }
  if (options.check === true) return;
  await warnOfUpgrade(terminal, settings);
  await applyRemoteMigrations(settings);
  const { versionId, addresses } = await deployCode(settings);
  if (!options.smoke) return;
  const url = options.url === undefined ? addresses[0] : parseServiceUrl(options.url);
  if (url === undefined) {
    terminal.warn("The deployment was not tested, as wrangler printed no address. Add --url.");
    return;
  }
  const admin = process.env["QUARRY_SMOKE_ADMIN"];
  await smokeTest(terminal, { url, versionId, admin });
}

await runCommand(program);
