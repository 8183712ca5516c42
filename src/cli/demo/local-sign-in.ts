import { randomInt } from "node:crypto";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** As in the tracked file of development defaults. */
export const LOCAL_EMAIL = "admin@localhost";
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
 * The file that gives the Worker its first administrator, in place of `.dev.vars`: `ps` would show
 * the password as an argument.
 */
export async function writeSignInFile(stateFolder: string, password: string): Promise<string> {
  await mkdir(stateFolder, { recursive: true });
  const file = resolve(join(stateFolder, "sign-in.env"));
  const lines = [
    `PANEL_ADMIN_EMAIL=${JSON.stringify(LOCAL_EMAIL)}`,
    `PANEL_ADMIN_PASSWORD=${JSON.stringify(password)}`,
  ];
  await writeFile(file, `${lines.join("\n")}\n`, { mode: OWNER_ONLY });
  await chmod(file, OWNER_ONLY);
  return file;
}
