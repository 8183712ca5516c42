import type { Terminal } from "../terminal.ts";
import type { PushSummary } from "./push-folder.ts";

const SHOWN = 10;

/** Prints what a push did, every skipped file included. */
export function reportPush(terminal: Terminal, summary: PushSummary, dryRun = false): void {
  const { added, changed, removed, unchanged, held, failed, skipped } = summary;
  const counts = `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`;
  terminal.say(dryRun ? `Would be: ${counts}` : counts);
  listSome(terminal, "skipped, a link", skipped.links);
  listSome(terminal, "skipped, hidden", skipped.hidden);
  for (const { path, reason } of failed.slice(0, SHOWN)) {
    terminal.warn(`not pushed: ${path === "" ? "the folder" : path} (${reason})`);
  }
  if (failed.length > SHOWN) terminal.warn(`not pushed: ${failed.length - SHOWN} more`);
  if (held > 0) {
    terminal.warn(
      `${held} files are no longer in the folder, more than half of the source. They were not ` +
        "removed: check the folder, then use --confirm-removals.",
    );
  }
}

function listSome(terminal: Terminal, why: string, paths: string[]) {
  if (paths.length === 0) return;
  const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : "";
  terminal.say(`${why}: ${paths.slice(0, SHOWN).join(", ")}${more}`);
}
