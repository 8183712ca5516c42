import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Replaces a file in one step if its content changed: a server restarts on each write, builds run
 * side by side, and a full disk leaves the earlier content. `beside`: a folder of the same file
 * system for the draft, such as one that nobody packs or serves.
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  beside = dirname(path),
  mode = 0o666,
): void {
  const bytes = Buffer.from(content);
  if (existsSync(path) && readFileSync(path).equals(bytes)) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = join(beside, `.${process.pid}-${draftNumber++}.tmp`);
  try {
    writeFileSync(draft, bytes, { mode });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

let draftNumber = 0;
