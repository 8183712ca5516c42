import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Replaces a file in one step: who reads it meanwhile, such as a second build or `npm pack` in the
 * same checkout, reads the old or the new one, never a part. `beside`: where it is written first,
 * on the same file system; not in a folder that is packed.
 */
export function replaceFile(path: string, content: string | Uint8Array, beside: string) {
  const draft = join(beside, `.${process.pid}-${draftNumber++}.tmp`);
  writeFileSync(draft, content);
  renameSync(draft, path);
}

let draftNumber = 0;
