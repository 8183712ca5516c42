import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { z } from "zod";

import { messageOf } from "../../core/errors.ts";
import { codeOf, CommandFailure } from "../failure.ts";
import { OWNER_ONLY, OWNER_ONLY_FOLDER, protectState, removeVariables } from "./state-files.ts";

export const LOOPBACK = "127.0.0.1";
/** A folder in the state folder: it holds the record of the server that uses the state, or nothing. */
const CLAIM = "server";

const owner = z.object({
  pid: z.number(),
  port: z.number(),
  /** Tells a process from a later one of its number. */
  process: z.string().min(1),
  /** Tells the state folder from a copy. */
  folder: z.string(),
});
type Owner = z.infer<typeof owner>;

/**
 * Records in a state folder that this process serves from it, as two servers on one database fail
 * with SQLITE_BUSY, and closes the folder to other users. Replaces the record and removes the
 * variables of a killed server. Returns the release, which also runs when this process ends.
 * @throws CommandFailure when another server uses the folder, or it cannot be written
 */
export function claimState(stateFolder: string, port: number): () => void {
  const name = `${randomUUID()}.json`;
  try {
    mkdirSync(stateFolder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    const { pid } = process;
    const record = { pid, port, process: identityOf(pid), folder: folderIdOf(stateFolder) };
    placeRecord(stateFolder, name, record);
    protectState(stateFolder);
    removeVariables(stateFolder);
  } catch (thrown) {
    if (thrown instanceof CommandFailure) throw thrown;
    throw new CommandFailure(
      `${stateFolder} cannot be written: ${messageOf(thrown)}. Choose another folder with --state ` +
        "(npm run dev: --persist-to).",
    );
  }
  const release = () => {
    process.off("exit", release);
    const file = join(stateFolder, CLAIM, name);
    if (!existsSync(file)) return;
    removeVariables(stateFolder);
    rmSync(file);
  };
  process.once("exit", release);
  return release;
}

/**
 * Renames a folder with the record to that of the claim: the system permits it only while the claim
 * is empty, so one of several processes succeeds. No two records have the same name: whoever
 * removes one of a killed server never removes its successor.
 */
function placeRecord(stateFolder: string, name: string, record: Owner): void {
  const claim = join(stateFolder, CLAIM);
  const draft = mkdtempSync(`${claim}-`);
  try {
    writeFileSync(join(draft, name), JSON.stringify(record), { mode: OWNER_ONLY });
    while (!isRenamed(draft, claim)) {
      for (const file of readdirSync(claim).map((entry) => join(claim, entry))) {
        const rival = readRecord(file);
        if (rival !== null && isServing(rival, record.folder)) {
          throw new CommandFailure(
            `Another server uses ${stateFolder} (process ${rival.pid}, port ${rival.port}). ` +
              "Stop that server, or choose another folder with --state (npm run dev: --persist-to).",
          );
        }
        rmSync(file, { force: true });
      }
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The port of the server that uses a state folder; null: none does. */
export function servedPort(stateFolder: string): number | null {
  const claim = join(stateFolder, CLAIM);
  const files = existsSync(claim) ? readdirSync(claim) : [];
  const owners = files.flatMap((file) => readRecord(join(claim, file)) ?? []);
  return owners.find((record) => isServing(record, folderIdOf(stateFolder)))?.port ?? null;
}

function folderIdOf(stateFolder: string): string {
  const { dev, ino } = statSync(stateFolder, { bigint: true });
  return `${dev}:${ino}`;
}

const isServing = (record: Owner, folder: string) =>
  record.folder === folder && record.process === identityOf(record.pid);

function isRenamed(folder: string, to: string): boolean {
  try {
    renameSync(folder, to);
    return true;
  } catch (thrown) {
    if (["ENOTEMPTY", "EEXIST"].includes(codeOf(thrown))) return false;
    throw thrown;
  }
}

function readRecord(file: string): Owner | null {
  try {
    return owner.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}

const PS_TIMEOUT_MS = 5_000;

/**
 * When a process started: on Linux in ticks since boot (proc(5), fields 3 and 22 of stat), else as
 * ps prints it. Empty: none of this number runs; one that waits for its parent has ended.
 */
export function identityOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // `12 (name) S …`: the name may hold any character.
    const fields = text.slice(text.lastIndexOf(") ") + 2).split(" ");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return /[ZX]/.test(fields[0] ?? "") ? "" : `${boot} ${fields[19]}`;
  } catch {
    const options = { encoding: "utf8", timeout: PS_TIMEOUT_MS } as const;
    return (spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], options).stdout ?? "").trim();
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
