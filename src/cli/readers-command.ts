import { Command } from "commander";

import { dataOf } from "./api/clients.ts";
import { panelTarget, withTarget } from "./target-options.ts";

type ReadersOptions = { source: string; url: string; json?: true; check?: string };

export function readersCommand(): Command {
  return withTarget(new Command("readers"), "QUARRY_KEY", "the service's answer")
    .description("show who may read a file, and where each of them comes from")
    .argument("<file>", "path of the file in its source")
    .requiredOption("--source <id>", "id or identifier of the file source")
    .option("--check <address>", "whether this person may read it, and by what")
    .action(readers);
}

async function readers(path: string, { source: id, ...options }: ReadersOptions): Promise<void> {
  const { api, terminal } = panelTarget(options);
  const params = { path: { id, path } };
  const { check } = options;
  if (check !== undefined) {
    const address = "/file-sources/{id}/files/{path}/readers/check";
    const answer = await dataOf(api.POST(address, { params, body: { reader: check } }));
    terminal.result(answer);
    const by = answer.by === null ? "" : `, by ${answer.by} (${answer.from ?? ""})`;
    if (!terminal.json) terminal.say(`${check} ${answer.mayRead ? "may" : "may not"} read it${by}`);
    return;
  }
  const answer = await dataOf(api.GET("/file-sources/{id}/files/{path}/readers", { params }));
  terminal.result(answer);
  if (terminal.json) return;
  if (answer.permissions === "off") terminal.warn("Permissions are off: every token reads it.");
  if (answer.readers === null) terminal.say("nobody: no readers are named for it");
  else if (answer.unreadable !== null) terminal.say(`nobody: ${answer.unreadable}`);
  else if (answer.readers.length === 0) terminal.say("nobody");
  else {
    const rows = answer.readers.map(({ principal, from }) => [principal, from]);
    terminal.table(["reader", "from"], rows);
  }
}
