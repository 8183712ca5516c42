import type { FileStatus, PublicFile } from "../db/files/public-files.ts";

/** From the state that needs attention to the finished one. */
const ORDER: FileStatus[] = ["error", "pending", "processing", "indexed", "deleted"];

/** The state of a file that several RAGs index: the least finished one. */
export function leastFinished(states: readonly PublicFile[]): PublicFile | null {
  const rank = ({ status }: PublicFile) => ORDER.indexOf(status);
  return states.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
}
