import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { IS_PACKED, PROJECT } from "../installation.ts";
import { OWNER_ONLY } from "./protect-state.ts";

const NAME = "wrangler.toml";

/**
 * Arguments that name wrangler's configuration. An installed package writes its own into the state
 * folder: wrangler works in the folder of its configuration, and the package's folder may be read-only.
 */
export async function configArguments(stateFolder: string): Promise<string[]> {
  if (!IS_PACKED) return [];
  const copy = join(stateFolder, NAME);
  const toml = packedConfig(await readFile(join(PROJECT, NAME), "utf8"), PROJECT);
  await writeFile(copy, toml, { mode: OWNER_ONLY });
  return ["--config", copy];
}

/** The local part of wrangler.toml for the built Worker, assets and migrations of a package. */
export function packedConfig(toml: string, folder: string): string {
  const quoted = (path: string) => JSON.stringify(join(folder, path));
  const [local = ""] = toml.split("\n[env.");
  return local
    .replace(/^main = .*$/m, () => `main = ${quoted("dist/worker/index.js")}\nno_bundle = true`)
    .replace(/^\[build\]\n.*\n/m, "")
    .replace(/^directory = .*$/m, () => `directory = ${quoted("dist/public")}`)
    .replace(/^migrations_dir = .*$/m, () => `migrations_dir = ${quoted("migrations")}`);
}
