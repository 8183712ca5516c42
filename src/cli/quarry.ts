import { Command } from "commander";

import { adminLinkCommand } from "./admin-link-command.ts";
import { backupCommand, exportCommand, importCommand } from "./archive/archive-commands.ts";
import { configCommand } from "./config-command.ts";
import { evaluateCommand } from "./evaluate-command.ts";
import { versionOfProject } from "./installation.ts";
import { pushCommand } from "./push-command.ts";
import { askCommand, searchCommand, statusCommand } from "./query-commands.ts";
import { readersCommand } from "./readers-command.ts";
import { runCommand } from "./run-command.ts";
import { startCommand } from "./start-command.ts";

await runCommand(
  new Command("npx quarry")
    .description("Quarry from a terminal: serve, push documents, search them, ask about them")
    .version(versionOfProject())
    .addCommand(startCommand("start"))
    .addCommand(pushCommand())
    .addCommand(searchCommand())
    .addCommand(askCommand())
    .addCommand(statusCommand())
    .addCommand(readersCommand())
    .addCommand(evaluateCommand())
    .addCommand(configCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(backupCommand())
    .addCommand(adminLinkCommand()),
);
