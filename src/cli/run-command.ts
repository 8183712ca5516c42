import type { Command } from "commander";

import { CommandFailure } from "./failure.ts";

/** Runs a program to its end; a failure becomes one readable line and exit code 1. */
export async function runCommand(program: Command): Promise<void> {
  try {
    await program.parseAsync(process.argv);
  } catch (thrown) {
    process.exitCode = 1;
    console.error(thrown instanceof CommandFailure ? `\nquarry: ${thrown.message}` : thrown);
  }
}

/** An option that may be given several times. */
export function collect(value: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}
