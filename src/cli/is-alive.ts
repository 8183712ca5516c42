/** Whether a process has this number. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // The process of another user.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
