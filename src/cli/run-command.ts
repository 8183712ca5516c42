import type { Command } from "commander";

import { CommandFailure } from "./failure.ts";
import { wrapHelp } from "./help-text.ts";

/** Runs a program to its end; a failure becomes one readable line and exit code 1. */
export async function runCommand(program: Command): Promise<void> {
  wrapHelp(program);
  process.stdout.once("error", endWithReader);
  try {
    await program.parseAsync(process.argv);
  } catch (thrown) {
    process.exitCode = 1;
    console.error(isReadable(thrown) ? `\nquarry: ${thrown.message}` : thrown);
  }
}

/** `… | head` closes the pipe once it has what it wants: that is the end, and no failure. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit();
}

/** Written for people, or of the system, such as a folder that may not be written. */
function isReadable(thrown: unknown): thrown is Error {
  return thrown instanceof CommandFailure || (thrown instanceof Error && "syscall" in thrown);
}

/** An option that may be given several times. */
export function collect(value: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}
