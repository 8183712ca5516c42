import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { z } from "zod";

import { messageOf } from "../../core/errors.ts";
import { codeOf, CommandFailure } from "../failure.ts";
import { OWNER_ONLY, OWNER_ONLY_FOLDER, protectState, removeVariables } from "./state-files.ts";

export const LOOPBACK = "127.0.0.1";
const FILE = "server.json";
/** Held while a claim is decided, which takes milliseconds; older than this, its process was killed. */
const LOCK = "server.lock";
const LOCK_LASTS_MS = 10_000;
const LOCK_POLL_MS = 20;
/** For records without `process`: a server that listens nowhere after this long has not started. */
const STARTS_WITHIN_MS = 120_000;

const owner = z.object({
  pid: z.number(),
  port: z.number(),
  /** Tells a process from a later one of its number. */
  process: z.string().optional(),
  /** Tells the folder from a copy. */
  folder: z.string().optional(),
});
type Owner = z.infer<typeof owner>;

/**
 * Records in a state folder that this process serves from it, as two servers on one database fail
 * with SQLITE_BUSY, and closes the folder to other users. Replaces the record and removes the
 * variables of a killed server. Returns the release, which also runs when this process ends.
 * @throws CommandFailure when another server uses the folder, or it cannot be written
 */
export async function claimState(stateFolder: string, port: number): Promise<() => void> {
  const file = join(stateFolder, FILE);
  const folder = () => {
    mkdirSync(stateFolder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    const { dev, ino } = statSync(stateFolder, { bigint: true });
    return `${dev}:${ino}`;
  };
  const note = {
    pid: process.pid,
    port,
    process: identityOf(process.pid),
    folder: orSayWhere(stateFolder, folder),
  };
  const unlock = await lock(stateFolder);
  try {
    const other = read(file);
    if (other !== null && (await serves(other, note, file))) {
      throw new CommandFailure(
        `Another server uses ${stateFolder} (process ${other.pid}, port ${other.port}). ` +
          "Stop that server, or choose another folder with --state (npm run dev: --persist-to).",
      );
    }
    orSayWhere(stateFolder, () => {
      protectState(stateFolder);
      // A second claim of this process follows what it wrote after the first.
      if (other?.pid !== process.pid) removeVariables(stateFolder);
      writeFileSync(file, JSON.stringify(note), { mode: OWNER_ONLY });
    });
  } finally {
    unlock();
  }
  const release = () => {
    if (read(file)?.pid !== process.pid) return;
    removeVariables(stateFolder);
    rmSync(file, { force: true });
  };
  process.once("exit", release);
  return () => {
    process.off("exit", release);
    release();
  };
}

/** Only one process creates the file. Returns the unlocking. */
async function lock(stateFolder: string): Promise<() => void> {
  const path = join(stateFolder, LOCK);
  for (;;) {
    const isOurs = orSayWhere(stateFolder, () => createdNew(path));
    if (isOurs) return () => rmSync(path, { force: true });
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > LOCK_LASTS_MS) rmSync(path, { force: true });
    else await pause(LOCK_POLL_MS);
  }
}

function createdNew(path: string): boolean {
  try {
    writeFileSync(path, "", { flag: "wx", mode: OWNER_ONLY });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

function orSayWhere<Result>(stateFolder: string, write: () => Result): Result {
  try {
    return write();
  } catch (thrown) {
    throw new CommandFailure(
      `${stateFolder} cannot be written: ${messageOf(thrown)}. Choose another folder with --state ` +
        "(npm run dev: --persist-to).",
    );
  }
}

function read(file: string): Owner | null {
  try {
    return owner.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}

/** Whether the process of a record lives and serves this very folder. */
async function serves(other: Owner, { folder }: Owner, file: string): Promise<boolean> {
  if (other.pid === process.pid || !isAlive(other.pid)) return false;
  if (other.folder !== undefined && other.folder !== folder) return false;
  if (other.process !== undefined) return other.process === identityOf(other.pid);
  const ageMs = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (ageMs < STARTS_WITHIN_MS) return true;
  return checkPortIsFree(other.port).then(
    () => false,
    () => true,
  );
}

const PS_TIMEOUT_MS = 5_000;

/** When a process started: on Linux in ticks since boot (proc(5), field 22 of stat), else as ps prints it. */
function identityOf(pid: number): string {
  const fields = statOf(pid);
  if (fields !== null) {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${fields[19]}`;
  }
  const options = { encoding: "utf8", timeout: PS_TIMEOUT_MS } as const;
  return (spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], options).stdout ?? "").trim();
}

/** Fields of `12 (name) S …` after the name, which may hold any character; null: not on Linux. */
function statOf(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(") ") + 2).split(" ");
  } catch {
    return null;
  }
}

/** @throws CommandFailure when something else listens on the port. */
export async function checkPortIsFree(port: number, host = LOOPBACK): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, "listening").catch((thrown: unknown) => {
    if (codeOf(thrown) !== "EADDRINUSE") {
      throw new CommandFailure(`Nothing can listen on ${host}, port ${port}: ${messageOf(thrown)}`);
    }
    throw new CommandFailure(
      `Another program uses port ${port}, perhaps a Quarry that still runs. ` +
        "Stop it, or choose another port with --port.",
    );
  });
  server.close();
  await once(server, "close");
}

/** Whether a process with this number runs; one that has ended and waits for its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // EPERM: the process of another user.
    if (codeOf(thrown) !== "EPERM") return false;
  }
  return !/^[ZX]/.test(statOf(pid)?.[0] ?? "");
}
