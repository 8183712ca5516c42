import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { PROJECT } from "../worker/wrangler.ts";

/** Variables that choose the models; the key is not among them, for it must not show in `ps`. */
const MODEL_VARS = ["OPENAI_COMPATIBLE_BASE_URL", "EMBEDDING_MODEL", "EMBEDDING_DIMENSIONS"];
const SECRET = "OPENAI_COMPATIBLE_API_KEY";
const OWNER_ONLY = 0o600;

const EMBEDDED_CHAT_MODEL = "embedded/extractive";
/** The default of wrangler.toml. */
const EMBEDDED_EMBEDDING_MODEL = "embedded/hash";

/** How the Worker is told of a model server that the user's environment names. */
export async function modelSettings(
  environment: NodeJS.ProcessEnv,
  stateFolder: string,
): Promise<{ vars: string[]; envFiles: string[]; chatModel: string; embeddingModel: string }> {
  const chatModel = environment["CHAT_MODEL"] ?? EMBEDDED_CHAT_MODEL;
  const embeddingModel = environment["EMBEDDING_MODEL"] ?? EMBEDDED_EMBEDDING_MODEL;
  const vars = MODEL_VARS.flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === "" ? [] : [`${name}:${value}`];
  });
  const secret = environment[SECRET];
  if (secret === undefined || secret === "")
    return { vars, envFiles: [], chatModel, embeddingModel };
  await mkdir(stateFolder, { recursive: true });
  const file = join(stateFolder, "model.env");
  await writeFile(file, `${SECRET}=${JSON.stringify(secret)}\n`, { mode: OWNER_ONLY });
  await chmod(file, OWNER_ONLY);
  // A named file takes the place of .dev.vars, so that one has to be named too.
  const envFiles = [join(PROJECT, ".dev.vars"), resolve(file)];
  return { vars, envFiles, chatModel, embeddingModel };
}
