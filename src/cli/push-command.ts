import { Command } from "commander";

import { panelApi } from "./api/clients.ts";
import { Unreachable } from "./api/patient-fetch.ts";
import { CommandFailure } from "./failure.ts";
import { pushFolder, reportPush } from "./push/push-folder.ts";
import { watchFolder } from "./push/watch-folder.ts";
import { afterHelp, collect } from "./run-command.ts";
import { checkedUrl, keyIn, withTarget } from "./target-options.ts";
import { openTerminal, pathOfUser } from "./terminal.ts";

type PushOptions = {
  source: string;
  url: string;
  confirmRemovals?: true;
  dryRun?: true;
  watch?: true;
  json?: true;
  include?: string[];
  exclude?: string[];
  ignore: boolean;
};

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
  const key = keyIn(process.env);
  const terminal = openTerminal(options.json === true);
  const api = panelApi(checkedUrl(options.url), key);
  const dryRun = options.dryRun === true;
  const absolute = pathOfUser(folder);
  const { include, exclude, ignore: usesIgnoreFiles } = options;
  const choice = { include, exclude, usesIgnoreFiles };
  const confirmRemovals = options.confirmRemovals === true;
  const once = async () => {
    const request = { folder: absolute, source: options.source, choice, confirmRemovals, dryRun };
    const summary = await pushFolder(api, terminal, request);
    reportPush(terminal, summary, dryRun);
    terminal.result({ ...summary, dryRun });
    return summary;
  };
  if (options.watch !== true) {
    const { failed, held: heldRemovals } = await once();
    if (failed.length > 0 || heldRemovals > 0) process.exitCode = 1;
    return;
  }
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stopping.abort());
  }
  const pushAndTell = async (isFirst: boolean) => {
    try {
      const { failed } = await once();
      if (isFirst) terminal.say(`Watching ${absolute}. Ctrl-C ends it.`);
      if (failed.length > 0) console.error("Failed files are retried automatically.");
      return failed.length === 0;
    } catch (thrown) {
      if (isFirst && !(thrown instanceof Unreachable)) throw thrown;
      console.error(thrown instanceof CommandFailure ? thrown.message : thrown);
      console.error("The push is retried automatically.");
      return false;
    }
  };
  await watchFolder(absolute, pushAndTell, stopping.signal);
}
