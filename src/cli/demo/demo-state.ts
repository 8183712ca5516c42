import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

import { randomBase62 } from "../../access/credential-format.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import { replaceFile } from "../replace-file.ts";
import { OWNER_ONLY } from "../worker/state-files.ts";

/** State of `npm start` between runs, next to the local state; only its owner can read it. */
const demoState = z.object({
  token: z.string().nullable().default(null),
  key: z.string().nullable().default(null),
  /** Password of the local panel's first administrator, created at the first start. */
  password: z.string().nullable().default(null),
  /** The folder of each demo identifier. */
  folders: z.record(z.string(), z.string()).default({}),
  /** The embedding model of the last start: all RAGs of a deployment have the same. */
  embeddingModel: z.string().nullable().default(null),
  /** Identifiers of sources that had an image model. */
  withImageModel: z.array(z.string()).default([]),
});

export type DemoState = z.infer<typeof demoState>;

const FILE = "demo.json";

/** Empty when the file is missing or unreadable. */
export async function readDemoState(stateFolder: string): Promise<DemoState> {
  const text = await readFile(join(stateFolder, FILE), "utf8").catch(() => "{}");
  return demoState.safeParse(parseJson(text)).data ?? demoState.parse({});
}

export function writeDemoState(stateFolder: string, state: DemoState): void {
  const text = `${JSON.stringify(state, null, 2)}\n`;
  replaceFile(join(stateFolder, FILE), text, stateFolder, OWNER_ONLY);
}

/** As in the tracked file of development defaults. */
export const LOCAL_EMAIL = "admin@localhost";
const PASSWORD_LENGTH = 20;

/** 119 bits. */
export const newLocalPassword = () => randomBase62(PASSWORD_LENGTH);
