import { Command } from "commander";

import { evaluateCommand } from "./evaluate-command.ts";
import { pushCommand } from "./push-command.ts";
import { askCommand, searchCommand, statusCommand } from "./query-commands.ts";
import { runCommand } from "./run-command.ts";
import { versionOfProject } from "./version.ts";

await runCommand(
  new Command("npm run quarry --")
    .description("Quarry from a terminal: push documents, search them, ask about them")
    .version(versionOfProject())
    .addCommand(pushCommand())
    .addCommand(searchCommand())
    .addCommand(askCommand())
    .addCommand(statusCommand())
    .addCommand(evaluateCommand()),
);
