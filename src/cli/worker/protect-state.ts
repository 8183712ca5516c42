import { chmodSync, mkdirSync, readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";

const OWNER_ONLY_FOLDER = 0o700;
export const OWNER_ONLY = 0o600;
const MODE_BITS = 0o777;
/** What the commands, wrangler and the local platform keep in a state folder. */
const OURS =
  /^(?:v3|\.wrangler|(?:variables|model|sign-in|encryption)\.env|demo\.json|server\.json|worker\.log|migrations-applied|wrangler\.toml)$/;

/**
 * Makes a state folder and closes it, with all that the service keeps in it, to other users. A
 * folder that holds other things, such as `/tmp`, keeps its own mode.
 */
export function protectState(stateFolder: string): void {
  mkdirSync(stateFolder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  const entries = readdirSync(stateFolder, { withFileTypes: true });
  const ours = entries.filter(({ name }) => OURS.test(name));
  if (ours.length === entries.length) close(stateFolder, OWNER_ONLY_FOLDER);
  for (const entry of ours) closeEntry(stateFolder, entry);
}

function closeEntry(folder: string, entry: Dirent): void {
  const path = join(folder, entry.name);
  if (entry.isFile()) close(path, OWNER_ONLY);
  if (!entry.isDirectory()) return;
  close(path, OWNER_ONLY_FOLDER);
  for (const inner of readdirSync(path, { withFileTypes: true })) closeEntry(path, inner);
}

function close(path: string, mode: number): void {
  if ((statSync(path).mode & MODE_BITS) !== mode) chmodSync(path, mode);
}
