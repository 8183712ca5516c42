import type { Command } from "commander";
import { afterEach, expect, test, vi } from "vitest";

import type { Run } from "../../../src/cli/api/clients.ts";
import { sourceLines } from "../../../src/cli/demo/show-answers.ts";
import { evaluateCommand } from "../../../src/cli/evaluate-command.ts";
import { DEFAULT_STATE } from "../../../src/cli/installation.ts";
import { openProgress, whileWaiting } from "../../../src/cli/progress.ts";
import { pushCommand } from "../../../src/cli/push-command.ts";
import { askCommand, searchCommand, statusCommand } from "../../../src/cli/query-commands.ts";
import { runCommand, wrapHelp } from "../../../src/cli/run-command.ts";
import { startCommand } from "../../../src/cli/start-command.ts";

afterEach(() => {
  process.stdout.removeAllListeners("error");
});

const commands = () => [
  startCommand("start"),
  pushCommand(),
  searchCommand(),
  askCommand(),
  statusCommand(),
  evaluateCommand(),
];

function helpOf(command: Command, columns: number): string {
  let output = "";
  const writeOut = (text: string) => void (output += text);
  command.configureOutput({ writeOut, getOutHelpWidth: () => columns }).outputHelp();
  return output;
}

test.each([60, 80, 120, 200])("the help of every command fits %i columns", (columns) => {
  const before = Object.getOwnPropertyDescriptor(process.stdout, "columns");
  Object.defineProperty(process.stdout, "columns", { configurable: true, value: columns });
  for (const command of commands()) {
    wrapHelp(command);
    const help = helpOf(command, columns);
    // A folder's path is not broken.
    const lines = help.split("\n").filter((line) => !line.includes(DEFAULT_STATE));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.length).toBeGreaterThan(8);
  }
  Object.defineProperty(process.stdout, "columns", before ?? { value: undefined });
});

test("a command that lacks an argument says where its arguments are listed", async () => {
  for (const command of [searchCommand(), askCommand(), statusCommand()]) {
    wrapHelp(command);
    let output = "";
    command.exitOverride().configureOutput({ writeErr: (text) => void (output += text) });
    await expect(command.parseAsync(["node", "quarry"])).rejects.toThrow("missing required");
    expect(output).toMatch(/missing required argument '\w+'\nAdd --help to see the options\.\n/);
  }
});

const source = (filePath: string) => ({ filePath, page: 3, headings: ["Leave"] });
const run = (text: string, cited: number[]) =>
  ({
    response: [{ type: "text", text, citations: cited.map((item) => ({ item })) }],
    items: ["a.md", "b.md"].map((path) => ({ text: "", score: 1, source: source(path) })),
  }) as unknown as Run;

test("an answer's sources are listed once, unless it names their files itself", () => {
  expect(sourceLines(run("26 days.", [1, 1]))).toEqual(["Sources:", "- b.md, page 3 › Leave"]);
  expect(sourceLines(run("26 days.\nSource: b.md", [1]))).toEqual([]);
  expect(sourceLines(run("26 days.", []))).toHaveLength(3);
});

test("progress that is not on a terminal is a line a quarter, without control codes", () => {
  const lines: string[] = [];
  const stream = { isTTY: false, write: (text: string) => lines.push(text) };
  const progress = openProgress(stream as unknown as NodeJS.WriteStream, "Pushing", 8);
  for (let count = 1; count <= 8; count++) progress.update(count, `${count}.md`);
  progress[Symbol.dispose]();
  expect(lines).toEqual([
    "Pushing 1/8 1.md\n",
    "Pushing 2/8 2.md\n",
    "Pushing 4/8 4.md\n",
    "Pushing 6/8 6.md\n",
    "Pushing 8/8 8.md\n",
  ]);
});

test("a wait of more than a second is shown, with a dot every two seconds", async () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const stream = { write: (text: string) => lines.push(text) };
  const work = new Promise<string>((resolve) => setTimeout(resolve, 5_500, "done"));
  const waiting = whileWaiting(stream as never, "Starting the Worker", work);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(await waiting).toBe("done");
  expect(lines.join("")).toBe("Starting the Worker ...\n");
  await whileWaiting(stream as never, "Nothing", Promise.resolve());
  await vi.advanceTimersByTimeAsync(6_000);
  expect(lines.join("")).not.toContain("Nothing");
});

test("what the system refuses is told in a sentence, without a stack", async () => {
  const errorOutput = vi.spyOn(console, "error").mockReturnValue();
  const error = Object.assign(new Error("EACCES: permission denied, mkdir '/q'"), {
    syscall: "mkdir",
  });
  const { argv } = process;
  process.argv = ["node", "quarry"];
  await runCommand(startCommand("start").action(() => Promise.reject(error)));
  process.argv = argv;
  process.exitCode = 0;
  expect(errorOutput).toHaveBeenCalledExactlyOnceWith(
    "\nquarry: EACCES: permission denied, mkdir '/q'",
  );
});

test.each(["", "localhost", "192.0.2.7"])("npm start does not listen on “%s”", async (host) => {
  const command = startCommand("start").action(() => undefined);
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  const starting = command.parseAsync(["node", "quarry", "--host", host]);
  await expect(starting).rejects.toThrow("Allowed choices are 127.0.0.1, 0.0.0.0, ::.");
});

test("a reader that closes the pipe ends the command quietly", async () => {
  const exit = vi.spyOn(process, "exit").mockReturnValue(undefined);
  const { argv } = process;
  process.argv = ["node", "quarry"];
  await runCommand(startCommand("start").action(() => undefined));
  process.argv = argv;
  process.stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  expect(exit).toHaveBeenCalledExactlyOnceWith();
});
