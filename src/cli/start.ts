import { versionOfProject } from "./installation.ts";
import { runCommand } from "./run-command.ts";
import { startCommand } from "./start-command.ts";

await runCommand(startCommand("npm start --").version(versionOfProject()));
