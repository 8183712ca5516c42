import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A folder with these files, to be dropped on a page. */
export function writtenFolder(folder: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
