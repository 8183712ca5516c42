import { readFileSync } from "node:fs";

import { codeOf } from "./failure.ts";

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
