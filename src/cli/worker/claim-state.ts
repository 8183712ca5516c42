import { once } from "node:events";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { z } from "zod";

import { messageOf } from "../../core/errors.ts";
import { codeOf, CommandFailure } from "../failure.ts";
import { OWNER_ONLY, protectState, removeVariables } from "./state-files.ts";

export const LOOPBACK = "127.0.0.1";
const FILE = "server.json";
/** A server that listens nowhere after this long has not started. */
const STARTS_WITHIN_MS = 120_000;

const owner = z.object({ pid: z.number(), port: z.number() });

/**
 * Records in a state folder that this process serves from it, as two servers on one database fail
 * with SQLITE_BUSY, and closes the folder to other users. Replaces the record and removes the
 * variables of a killed server. Returns the release, which also runs when this process ends.
 * @throws CommandFailure when another server uses the folder, or it cannot be written
 */
export async function claimState(stateFolder: string, port: number): Promise<() => void> {
  const file = join(stateFolder, FILE);
  const other = read(file);
  if (other !== null && (await serves(other, file))) {
    throw new CommandFailure(
      `Another server uses ${stateFolder} (process ${other.pid}, port ${other.port}). ` +
        "Stop that server, or choose another folder with --state (npm run dev: --persist-to).",
    );
  }
  orSayWhere(stateFolder, () => protectState(stateFolder));
  // A second claim of this process follows what it wrote after the first.
  if (other?.pid !== process.pid) removeVariables(stateFolder);
  const note = JSON.stringify({ pid: process.pid, port });
  orSayWhere(stateFolder, () => writeFileSync(file, note, { mode: OWNER_ONLY }));
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

function orSayWhere(stateFolder: string, write: () => void): void {
  try {
    write();
  } catch (thrown) {
    throw new CommandFailure(
      `${stateFolder} cannot be written: ${messageOf(thrown)}. Choose another folder with --state ` +
        "(npm run dev: --persist-to).",
    );
  }
}

function read(file: string): z.infer<typeof owner> | null {
  try {
    return owner.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}

/** A process number may belong to another program by now, so that its port must be in use, too. */
async function serves({ pid, port }: z.infer<typeof owner>, file: string): Promise<boolean> {
  if (pid === process.pid || !isAlive(pid)) return false;
  const ageMs = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (ageMs < STARTS_WITHIN_MS) return true;
  return checkPortIsFree(port).then(
    () => false,
    () => true,
  );
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
  return !hasEnded(pid);
}

/** Of Linux: `12 (name) Z …`, where the name may hold any character. */
function hasEnded(pid: number): boolean {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1);
    return state?.startsWith("Z") === true || state?.startsWith("X") === true;
  } catch {
    return false;
  }
}
