import { randomInt } from "node:crypto";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";
const GROUPS = 4;
const GROUP_LENGTH = 5;
const OWNER_ONLY = 0o600;

/** 100 bits, in groups that are easy to type; without letters that look alike. */
export function newLocalPassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

/**
 * The file that gives the Worker its first administrator's password: `ps` would show an argument.
 */
export async function writeSignInFile(stateFolder: string, password: string): Promise<string> {
  await mkdir(stateFolder, { recursive: true });
  const file = resolve(join(stateFolder, "sign-in.env"));
  await writeFile(file, `PANEL_ADMIN_PASSWORD=${JSON.stringify(password)}\n`, { mode: OWNER_ONLY });
  await chmod(file, OWNER_ONLY);
  return file;
}
