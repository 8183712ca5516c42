import { Command, Option } from "commander";

import { preflight } from "./deploy/preflight.ts";
import { applyMigrationsThere, deployCode, dryRun } from "./deploy/release.ts";
import { reportPreflight } from "./deploy/report-preflight.ts";
import { ENVIRONMENTS, readDeploySettings } from "./deploy/settings.ts";
import type { EnvironmentName } from "./deploy/settings.ts";
import { smokeTest } from "./deploy/smoke-test.ts";
import { askWrangler } from "./deploy/wrangler-command.ts";
import { checkedUrl } from "./push-command.ts";
import { runCommand } from "./run-command.ts";
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
    "Look at what the account has, apply the migrations, deploy, and see that it answers.\n" +
      "Where something is missing, the commands that make it are printed and nothing is changed.",
  )
  .addOption(
    new Option("--env <name>", "which [env.…] of wrangler.toml")
      .choices(ENVIRONMENTS)
      .default("production"),
  )
  .option("--check", "only say what is missing; not 0 when something is")
  .option("--dry-run", "build everything, offline, and deploy nothing")
  .option("--url <url>", "address to test afterwards (default: what wrangler deployed to)")
  .option("--no-smoke", "do not test the deployed address")
  .option("--json", "print what was looked at as JSON on standard output")
  .addHelpText(
    "after",
    `
Environment (all optional):
  CLOUDFLARE_API_TOKEN   in place of npx wrangler login
  CLOUDFLARE_ACCOUNT_ID  which account, where there are several
  QUARRY_SMOKE_ADMIN     EMAIL:PASSWORD of an administrator: the deployed service is then held
                         against the specification with resources that are removed again`,
  )
  .action(deploy);

async function deploy(options: DeployOptions): Promise<void> {
  const settings = readDeploySettings(options.env);
  if (options.dryRun === true) return dryRun(settings);
  const terminal = openTerminal(options.json === true);
  const found = await preflight(askWrangler, settings);
  reportPreflight(terminal, settings, found);
  terminal.result(found);
  if (!found.ready) {
    process.exitCode = 1;
    return;
  }
  if (options.check === true) return;
  if (found.pendingMigrations.length > 0) await applyMigrationsThere(settings);
  const { versionId, addresses } = await deployCode(settings);
  if (!options.smoke) return;
  const url = options.url === undefined ? addresses[0] : checkedUrl(options.url);
  if (url === undefined) {
    terminal.warn("Nothing was tested: wrangler named no address. Give it with --url.");
    return;
  }
  const admin = process.env["QUARRY_SMOKE_ADMIN"];
  await smokeTest(terminal, { url, versionId, admin });
}

await runCommand(program);
