import { readFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import { PROJECT } from "./worker/wrangler.ts";

/** The version of this checkout, as `package.json` says it. */
export function versionOfProject(): string {
  const text = readFileSync(join(PROJECT, "package.json"), "utf8");
  return z.looseObject({ version: z.string() }).parse(JSON.parse(text)).version;
}
