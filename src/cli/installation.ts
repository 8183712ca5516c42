import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

/** Above `src/cli` of a checkout and `dist/cli` of an installed package. */
export const PROJECT = join(import.meta.dirname, "../..");

/** Whether this is the bundle of the installed package (src/cli/build/build-package.ts). */
export const IS_PACKED = import.meta.filename.endsWith(".js");

/** The folder of files for workerd, made by src/cli/build/build-service.ts. */
export const SERVICE = join(PROJECT, "dist/worker");

export const START_COMMAND = IS_PACKED ? "npx quarry start" : "npm start";

/** Where local state lives unless the user says otherwise: an update replaces a package's folder. */
export const DEFAULT_STATE = join(IS_PACKED ? homeFolder() : PROJECT, ".quarry");

/** A user without an account, as a container may have one, has a home only where `HOME` names it. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // Miniflare asks for a home, too.
    return (process.env["HOME"] = process.cwd());
  }
}

export function versionOfProject(): string {
  const text = readFileSync(join(PROJECT, "package.json"), "utf8");
  return z.looseObject({ version: z.string() }).parse(JSON.parse(text)).version;
}
