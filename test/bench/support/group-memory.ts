import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const KIB = 1_024;
/** Field of `/proc/PID/stat` behind the name: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const GROUP_FIELD = 2;
const USER_TICKS_FIELD = 11;
const TICKS_A_SECOND = 100;
/** Makes the peak what is resident now: https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html */
const RESET_PEAK = "5";

/** MiB of a process, as `/proc/PID/status` names it. */
function mebibytes(pid: string, field: "VmRSS" | "VmHWM"): number {
  const line = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(textOf(`/proc/${pid}/status`));
  return Math.round(Number(line?.[1] ?? 0) / KIB);
}

/** The name of a process, and what `/proc/PID/stat` has behind it. */
function statOf(pid: string) {
  const [, name = "", rest = ""] = /\((.*)\) (.*)/.exec(textOf(`/proc/${pid}/stat`)) ?? [];
  return { name, fields: rest.split(" ").map(Number) };
}

/** Every workerd in a process group. The largest runs the service and the simulators. */
const workersOf = (group: number): string[] =>
  entriesOf("/proc").filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    const { name, fields } = statOf(entry);
    return name === "workerd" && fields[GROUP_FIELD] === group;
  });

/** Seconds of the processor, in the program and in the kernel. */
const processorSeconds = (pids: string[]): number =>
  pids.reduce((sum, pid) => {
    const [user = 0, kernel = 0] = statOf(pid).fields.slice(USER_TICKS_FIELD);
    return sum + (user + kernel) / TICKS_A_SECOND;
  }, 0);

/**
 * Resident memory (MiB) of the largest workerd in a process group, which is the one that runs the
 * service with the simulators of D1, R2 and Queues; null where there is no `/proc`.
 */
export function residentMiB(group: number): number | null {
  const sizes = workersOf(group).map((pid) => mebibytes(pid, "VmRSS"));
  return sizes.length === 0 ? null : Math.max(...sizes);
}

/**
 * Runs `work` and measures how far (MiB) the memory of the largest workerd rose meanwhile, and what
 * the processor did for all, which other programs of the machine change less than the time.
 */
export async function peakAbove<Result>(group: number, work: () => Promise<Result>) {
  const workers = workersOf(group);
  for (const pid of workers) writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
  const idleMiB = residentMiB(group) ?? 0;
  const [startedAt, before] = [performance.now(), processorSeconds(workers)];
  const result = await work();
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const processor = Math.round(10 * (processorSeconds(workers) - before)) / 10;
  const peak = Math.max(0, ...workers.map((pid) => mebibytes(pid, "VmHWM")));
  return { result, seconds, processor, idleMiB, aboveIdleMiB: peak - idleMiB };
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
