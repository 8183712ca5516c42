import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Replaces a file in one step if its content changed: a server restarts on each write, and builds
 * run side by side. `beside`: a folder of the same file system, which nobody packs or serves.
 */
export function replaceFile(path: string, content: string | Uint8Array, beside: string): void {
  const bytes = Buffer.from(content);
  if (existsSync(path) && readFileSync(path).equals(bytes)) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = join(beside, `.${process.pid}-${draftNumber++}.tmp`);
  writeFileSync(draft, bytes);
  renameSync(draft, path);
}

let draftNumber = 0;
