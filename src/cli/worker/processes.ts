import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

/** Each open index needs three, and the database and the files need some. */
const LEAST_OPEN_FILES = 256;

/**
 * Kills the group once a pipe closes, as it does when this process ends, even by `kill -9`; lets
 * the program open as many files as the system permits this user; and keeps what it writes from
 * other users.
 */
const GUARD = `(cat <&3; kill -KILL 0) >/dev/null 2>&1 &
umask 077
ulimit -n "$(ulimit -Hn)" 2>/dev/null
files=$(ulimit -n)
if [ "$files" != unlimited ] && [ "$files" -lt ${LEAST_OPEN_FILES} ]; then
  echo "Processes may open only $files files here, the service needs ${LEAST_OPEN_FILES}: raise the limit (ulimit -n)." >&2
  exit 1
fi
exec "$@" 3<&-`;

/** Starts a program in a process group of its own, which never outlives this process. Its input is closed. */
export function spawnGroup(command: string[], options: SpawnOptions): ChildProcess {
  const child = spawn("sh", ["-c", GUARD, "sh", ...command], {
    ...options,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true,
  });
  // Ends the guard.
  child.once("exit", () => child.stdio[3]?.destroy());
  return child;
}

const LOOK_EVERY_MS = 500;

/**
 * Settles when the shell in which npm or npx runs this command has ended: a signal to npm reaches
 * that shell, which hands it to nobody.
 */
export async function endOfNpm(): Promise<void> {
  if (process.env["npm_command"] === undefined) await new Promise(() => undefined);
  const shell = process.ppid;
  while (process.ppid === shell) await pause(LOOK_EVERY_MS, null, { ref: false });
}

/** Its exit code, once all it wrote has been read; null after a signal. */
export async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node.js documents of "close"
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}

export async function outputOf(child: ChildProcess): Promise<Output> {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  }
  return { code: (await exitCodeOf(child)) ?? 1, ...output };
}

export type Output = { code: number; stdout: string; stderr: string };
