import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const KIB = 1_024;
/** Of `/proc/PID/stat` behind the name in brackets: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const GROUP_FIELD = 2;
/** Makes the peak what is resident now: https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html */
const RESET_PEAK = "5";

/** MiB of a process, as `/proc/PID/status` names it. */
function mebibytes(pid: string, field: "VmRSS" | "VmHWM"): number {
  const line = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(textOf(`/proc/${pid}/status`));
  return Math.round(Number(line?.[1] ?? 0) / KIB);
}

/** Every workerd in a process group. The largest runs the service and the simulators. */
const workersOf = (group: number): string[] =>
  entriesOf("/proc").filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    const [, name = "", rest = ""] = /\((.*)\) (.*)/.exec(textOf(`/proc/${entry}/stat`)) ?? [];
    return name === "workerd" && Number(rest.split(" ")[GROUP_FIELD]) === group;
  });

/**
 * Resident memory (MiB) of the largest workerd in a process group, which is the one that runs the
 * service with the simulators of D1, R2 and Queues; null where there is no `/proc`.
 */
export function residentMiB(group: number): number | null {
  const sizes = workersOf(group).map((pid) => mebibytes(pid, "VmRSS"));
  return sizes.length === 0 ? null : Math.max(...sizes);
}

/** Runs `work` and measures how far (MiB) the memory of the largest workerd rose meanwhile. */
export async function peakAbove<Result>(group: number, work: () => Promise<Result>) {
  const workers = workersOf(group);
  for (const pid of workers) writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
  const idleMiB = residentMiB(group) ?? 0;
  const startedAt = performance.now();
  const result = await work();
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const peak = Math.max(0, ...workers.map((pid) => mebibytes(pid, "VmHWM")));
  return { result, seconds, idleMiB, aboveIdleMiB: peak - idleMiB };
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
