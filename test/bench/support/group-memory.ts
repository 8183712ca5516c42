import { readdirSync, readFileSync } from "node:fs";

const KIB = 1_024;
/** Of `/proc/PID/stat` behind the name in brackets: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const GROUP_FIELD = 2;

/**
 * Resident memory (MiB) of the largest workerd in a process group, which is the one that runs the
 * service with the simulators of D1, R2 and Queues; null where there is no `/proc`.
 */
export function residentMiB(group: number): number | null {
  let most: number | null = null;
  for (const entry of entriesOf("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const [, name = "", rest = ""] = /\((.*)\) (.*)/.exec(textOf(`/proc/${entry}/stat`)) ?? [];
    if (name !== "workerd" || Number(rest.split(" ")[GROUP_FIELD]) !== group) continue;
    const [, kib = "0"] = /^VmRSS:\s+(\d+)/m.exec(textOf(`/proc/${entry}/status`)) ?? [];
    most = Math.max(most ?? 0, Math.round(Number(kib) / KIB));
  }
  return most;
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty for a process that has ended meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
