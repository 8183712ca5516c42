import type { Terminal } from "../terminal.ts";
import type { Preflight } from "./preflight.ts";
import type { DeploySettings } from "./settings.ts";

/** A table of what was looked at, then what to run, in order. */
export function reportPreflight(
  terminal: Terminal,
  { environment, workerName }: DeploySettings,
  { findings, ready }: Preflight,
): void {
  terminal.say(`Preflight of ${workerName} (${environment})`);
  const rows = findings.map(({ what, state, note }) => [what, state, note ?? ""]);
  terminal.table(["what", "state", ""], rows, [...WIDTHS]);
  if (ready) return;
  const mend = findings.flatMap(({ mend = [] }) => mend);
  if (mend.length > 0) {
    const again = environment === "production" ? "" : ` -- --env ${environment}`;
    terminal.say(`\nRun these, then npm run deploy${again} again:\n`);
    for (const line of mend) terminal.say(`  ${line}`);
    terminal.say();
  }
}

const WIDTHS = [34, 10, 62] as const;
