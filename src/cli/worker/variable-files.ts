import { rmSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";

import { CommandFailure } from "../failure.ts";
import type { Variables } from "./worker-variables.ts";

const OWNER_ONLY = 0o600;
const QUOTES = ["'", "`", '"'];
const NAMES = ["variables.env", "model.env"] as const;

/**
 * Writes variables where `wrangler dev --env-file` reads them, for their owner only; a list of
 * processes would show arguments. Without variables an earlier file is removed. Returns its path
 * in a list, or nothing.
 * @throws CommandFailure for a value that no file can hold
 */
export async function writeVariables(
  stateFolder: string,
  name: (typeof NAMES)[number],
  variables: Variables,
): Promise<string[]> {
  const file = resolve(stateFolder, name);
  const lines = Object.entries(variables).map((pair) => `${lineOf(...pair)}\n`);
  if (lines.length === 0) {
    await rm(file, { force: true });
    return [];
  }
  await mkdir(stateFolder, { recursive: true });
  await writeFile(file, lines.join(""), { mode: OWNER_ONLY });
  // The mode passed above applies only to a new file.
  await chmod(file, OWNER_ONLY);
  return [file];
}

/** They may hold secrets, and are of use only while the Worker runs. */
export function removeVariables(stateFolder: string): void {
  for (const name of NAMES) rmSync(resolve(stateFolder, name), { force: true });
}

/** As dotenv reads it: no quotation mark can be escaped, and `$` begins a variable. */
function lineOf(name: string, value: string): string {
  const quote = QUOTES.find(
    (mark) => !value.includes(mark) && (mark !== '"' || !/\\[nr]/.test(value)),
  );
  if (quote === undefined) {
    throw new CommandFailure(`${name} must not hold each of the quotation marks ' \` and ".`);
  }
  return `${name}=${quote}${value.replaceAll("$", String.raw`\$`)}${quote}`;
}
