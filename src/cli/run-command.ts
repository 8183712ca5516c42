import { Help, type AddHelpTextContext, type Command } from "commander";

import { sentenceOf } from "./failure.ts";
import { printable } from "./progress.ts";

/** Runs a program to its end; a failure becomes one readable line and exit code 1. */
export async function runCommand(program: Command): Promise<void> {
  wrapHelp(program);
  process.stdout.once("error", endWithReader);
  try {
    await program.parseAsync(process.argv);
  } catch (thrown) {
    process.exitCode = 1;
    const sentence = sentenceOf(thrown);
    console.error(sentence === null ? thrown : printable(`\nquarry: ${sentence}`));
  }
}

/** `… | head` closes the pipe once it has what it wants: that is the end, and no failure. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit();
}

export const collect = (value: string, earlier: string[] = []) => [...earlier, value];

/** Terminals of 60 columns leave so much for descriptions. */
const MIN_DESCRIPTION = 15;

/** Help that is wrapped on narrow terminals, and commands without the `[options]` that all have. */
export function wrapHelp(command: Command): void {
  command.showHelpAfterError("Add --help to see the options.");
  command.configureHelp({
    minWidthToWrap: MIN_DESCRIPTION,
    subcommandTerm: (sub) => new Help().subcommandTerm(sub).replace(" [options]", ""),
  });
  for (const sub of command.commands) wrapHelp(sub);
}

/** Text after a command's help: paragraphs, and items such as variables with their values. */
export function afterHelp(...parts: (string | Record<string, string>)[]) {
  return ({ command }: AddHelpTextContext): string => {
    const help = command.createHelp();
    const columns = process.stdout.columns ?? 80;
    help.prepareContext({ helpWidth: columns });
    const words = parts.map((part) => {
      if (typeof part === "string") return help.boxWrap(part, columns);
      const widest = Math.max(...Object.keys(part).map((name) => name.length));
      return Object.entries(part)
        .map(([name, about]) => help.formatItem(name, widest, about, help))
        .join("\n");
    });
    return ["", ...words].join("\n");
  };
}
