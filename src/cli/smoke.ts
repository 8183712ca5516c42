import { Command } from "commander";

import { smokeTest } from "./deploy/smoke-test.ts";
import { afterHelp, runCommand } from "./run-command.ts";
import { parseServiceUrl } from "./target-options.ts";
import { openTerminal } from "./terminal.ts";

const program = new Command("npm run smoke --")
  .description("Check that a deployed service answers, and compare it with the API specification")
  .requiredOption("--url <url>", "address of the service")
  .addHelpText(
    "after",
    afterHelp(
      "QUARRY_SMOKE_ADMIN=EMAIL:PASSWORD of an administrator; without it only /health is checked.",
    ),
  )
  .action(async ({ url }: { url: string }) => {
    const admin = process.env["QUARRY_SMOKE_ADMIN"];
    await smokeTest(openTerminal(false), { url: parseServiceUrl(url), versionId: null, admin });
  });

await runCommand(program);
