import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";

import { DEVELOPMENT_KEY } from "../../access/seal.ts";
import { CommandFailure } from "../failure.ts";
import { replaceFile } from "../replace-file.ts";
import type { Variables } from "./worker-variables.ts";

const QUOTES = ["'", "`", '"'];
const VARIABLES = "variables.env";
/** Used only while the Worker runs; earlier versions wrote all but the first. */
const REMOVED_AT_THE_END = [VARIABLES, "model.env", "sign-in.env", "server.json", "server.lock"];
const ENCRYPTION = "encryption.env";
const KEY_BYTES = 32;

/**
 * Writes variables to a file for `wrangler dev --env-file`, as a list of processes would show
 * arguments. Returns its path.
 * @throws CommandFailure for a value that no file can hold
 */
export function writeVariables(stateFolder: string, variables: Variables): string {
  const file = resolve(stateFolder, VARIABLES);
  writeFileSync(file, linesOf(variables), { mode: OWNER_ONLY });
  return file;
}

/**
 * The encryption key of a state folder, created once; none if the user sets one. The development
 * key still opens what it sealed. A file that a full disk left empty is written again.
 */
export function encryptionKeys(stateFolder: string, settings: Variables): Variables {
  if (settings["ENCRYPTION_KEY"] !== undefined) return {};
  const file = resolve(stateFolder, ENCRYPTION);
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const pairs = [...text.matchAll(/^(\w+)=(['"]?)(.+)\2$/gm)];
  const values = Object.fromEntries(pairs.map(([, name = "", , value = ""]) => [name, value]));
  if (values["ENCRYPTION_KEY"] !== undefined) return values;
  const key = randomBytes(KEY_BYTES).toString("base64");
  const keys = { ENCRYPTION_KEY: key, ENCRYPTION_KEY_PREVIOUS: DEVELOPMENT_KEY };
  replaceFile(file, linesOf(keys), stateFolder, OWNER_ONLY);
  return keys;
}

const linesOf = (variables: Variables) =>
  Object.entries(variables)
    .map((pair) => `${lineOf(...pair)}\n`)
    .join("");

export function removeVariables(stateFolder: string): void {
  for (const name of REMOVED_AT_THE_END) rmSync(resolve(stateFolder, name), { force: true });
}

/** As dotenv reads it: no quotation mark can be escaped, and `$` begins a variable. */
function lineOf(name: string, value: string): string {
  const quote = QUOTES.find(
    (mark) => !value.includes(mark) && (mark !== '"' || !/\\[nr]/.test(value)),
  );
  if (quote === undefined) {
    throw new CommandFailure(`${name} must not contain all three quotation marks ' \` and ".`);
  }
  return `${name}=${quote}${value.replaceAll("$", String.raw`\$`)}${quote}`;
}

export const OWNER_ONLY_FOLDER = 0o700;
export const OWNER_ONLY = 0o600;
const MODE_BITS = 0o777;
/** Files of the commands, wrangler and the local platform in a state folder. */
const OURS =
  /^(?:v3|\.wrangler|(?:variables|model|sign-in|encryption)\.env|demo\.json|server(?:-\w+)?|worker\.log(?:\.1)?|migrations-applied|wrangler\.toml)$/;

/**
 * Closes it to other users, who then reach nothing in its folders. A folder that holds other
 * things, such as `/tmp`, keeps its mode.
 */
export function protectState(stateFolder: string): void {
  const entries = readdirSync(stateFolder, { withFileTypes: true });
  const ours = entries.filter(({ name }) => OURS.test(name));
  if (ours.length === entries.length) close(stateFolder, OWNER_ONLY_FOLDER);
  for (const entry of ours) {
    const path = join(stateFolder, entry.name);
    if (entry.isFile()) close(path, OWNER_ONLY);
    if (entry.isDirectory()) close(path, OWNER_ONLY_FOLDER);
  }
}

/** Another start's draft of a claim may go meanwhile. */
function close(path: string, mode: number): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && (stats.mode & MODE_BITS) !== mode) chmodSync(path, mode);
}
