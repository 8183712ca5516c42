/** A failure that a user can understand and act on; printed without a stack. */
export class CommandFailure extends Error {
  override readonly name: string = "CommandFailure";
}

/** The system's code of an error or of its cause, such as ENOENT; empty without one. */
export function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "";
  return "code" in thrown ? String(thrown.code) : codeOf(thrown.cause);
}

/** Why a file or folder cannot be read or written, as words that follow its name. */
export function unusableReason(thrown: unknown): string {
  const code = codeOf(thrown);
  if (code === "ENOENT") return "does not exist";
  return code === "EISDIR" ? "is a folder" : `cannot be used (${code})`;
}

/** A failure in words for people; null for a defect. */
export function sentenceOf(thrown: unknown): string | null {
  if (thrown instanceof CommandFailure) return thrown.message;
  if (!(thrown instanceof Error && "syscall" in thrown)) return null;
  return "path" in thrown ? `${String(thrown.path)} ${unusableReason(thrown)}.` : thrown.message;
}
