import type { Terminal } from "../terminal.ts";
import type { Preflight } from "./preflight.ts";
import type { DeploySettings } from "./settings.ts";

/** Prints a table of the checks, then the commands to run, in order. */
export function reportPreflight(
  terminal: Terminal,
  { environment, workerName }: DeploySettings,
  { findings, ready }: Preflight,
): void {
  terminal.say(`Preflight of ${workerName} (${environment})`);
  const rows = findings.map(({ what, state, note }) => [what, state, note ?? ""]);
  terminal.table(["what", "state", ""], rows, WIDTHS);
  if (ready) return;
  const fix = findings.flatMap(({ fix = [] }) => fix);
  if (fix.length > 0) {
    const again = environment === "production" ? "" : ` -- --env ${environment}`;
    terminal.say(`\nRun these, then npm run deploy${again} again:\n`);
    for (const line of fix) terminal.say(`  ${line}`);
    terminal.say();
  }
}

/** Columns of text: fits a terminal of 110. */
const WIDTHS = [32, 8, 60];
