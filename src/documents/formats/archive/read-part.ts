import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** Reads a whole optional part: null when it is missing or damaged. */
export function* readPart(archive: ZipArchive, name: string): CooperativeWork<Uint8Array | null> {
  try {
    return yield* archive.read(name);
  } catch {
    return null;
  }
}
