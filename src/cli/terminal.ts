import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { IS_PACKED } from "./installation.ts";
import { openProgress, printable, showWaiting } from "./progress.ts";
import { drawTable, terminalColumns } from "./table.ts";

export type Terminal = ReturnType<typeof openTerminal>;

/** Where a command prints. With `json`, text for people goes to standard error. */
export function openTerminal(json: boolean) {
  const stream = json ? process.stderr : process.stdout;
  const say = (line = ""): void => void stream.write(`${printable(line)}\n`);
  return {
    json,
    /** Receives text for people. */
    output: stream,
    say,
    /** As it is, without an end of line. */
    write: (text: string): void => void stream.write(printable(text)),
    warn: (line: string): void => void process.stderr.write(`${printable(line)}\n`),
    /** `caps`: the most columns of text for each column of the table. */
    table: (head: string[], rows: string[][], caps?: (number | undefined)[]): void =>
      say(drawTable(head, rows, terminalColumns(stream), caps)),
    progress: (label: string, total: number) => openProgress(process.stderr, label, total),
    /** Shows on a terminal, not in a pipe or a log, that an answer is waited for; returns what ends it. */
    waitForAnswer: () =>
      process.stderr.isTTY
        ? showWaiting(process.stderr, "Waiting for the answer")
        : () => undefined,
    /** Prints the single object of `--json`; does nothing without it. */
    result: (value: unknown): void => {
      if (json) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    },
  };
}

/** `'it'\''s'`: quoted as one word of a shell, whatever it contains. */
export function shellWord(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Relative to where the user called npm, which runs scripts in the project's folder. */
export function pathOfUser(path: string): string {
  const calledIn = IS_PACKED ? undefined : process.env["INIT_CWD"];
  const absolute = resolve(calledIn ?? process.cwd(), path);
  return existsSync(absolute) ? absolute : resolve(path);
}
