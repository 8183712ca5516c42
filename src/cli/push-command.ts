import { Command } from "commander";

import { pushContinuously } from "./push/push-continuously.ts";
import { pushFolder, reportPush, type PushRequest, type PushSummary } from "./push/push-folder.ts";
import { afterHelp, collect } from "./run-command.ts";
import { panelTarget, withTarget } from "./target-options.ts";
import { pathOfUser } from "./terminal.ts";

type PushOptions = Omit<PushRequest, "folder"> & { url: string; watch?: true; json?: true };

export function pushCommand(): Command {
  return withTarget(new Command("push"), "QUARRY_KEY", "the counts")
    .description("make a source equal a folder: upload new and changed files, remove the others")
    .argument("<folder>", "folder to push")
    .requiredOption("--source <id>", "id or identifier of a file_system source")
    .option("--include <glob>", "push only what matches (may be repeated)", collect)
    .option("--exclude <glob>", "skip what matches (may be repeated)", collect)
    .option("--no-ignore", "push what .gitignore and .ignore files name, too")
    .option(
      "--confirm-removals",
      "allow a removal of more than half of the source (and more than 20 files)",
    )
    .option("--dry-run", "print the changes without making them")
    .option("--watch", "keep running and push every change")
    .addHelpText(
      "after",
      afterHelp(
        "Hidden files and links are never pushed, and nothing that .gitignore or .ignore names. Files that --include and --exclude skip stay in the source.",
      ),
    )
    .action(push);
}

async function push(folder: string, options: PushOptions): Promise<void> {
  const { api, terminal } = panelTarget(options);
  const { dryRun = false } = options;
  const request = { ...options, folder: pathOfUser(folder) };
  const report = (summary: PushSummary) => {
    reportPush(terminal, summary, dryRun);
    terminal.result({ ...summary, dryRun });
  };
  if (options.watch !== true) {
    const summary = await pushFolder(api, terminal, request);
    report(summary);
    if (summary.failed.length > 0 || summary.held > 0) process.exitCode = 1;
    return;
  }
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stopping.abort());
  }
  const announcePush = (summary: PushSummary, isFirst: boolean) => {
    report(summary);
    if (isFirst) terminal.say(`Watching ${request.folder}. Ctrl-C ends it.`);
  };
  await pushContinuously(api, terminal, request, announcePush, stopping.signal);
}
