import type { PublicFile } from "../db/files/public-files.ts";
import { LEAST_FINISHED_FIRST } from "../db/schema/rags.ts";

/** The state of a file that several RAGs index: the least finished one. */
export function aggregateFileStatus(states: readonly PublicFile[]): PublicFile | null {
  const rank = ({ status }: PublicFile) => LEAST_FINISHED_FIRST.indexOf(status);
  return states.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
}
