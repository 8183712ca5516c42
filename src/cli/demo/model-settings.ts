import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { dimensionsOf, discoverModels } from "./discover-models.ts";
import type { ModelServer } from "./discover-models.ts";

const SECRET = "OPENAI_COMPATIBLE_API_KEY";
const OWNER_ONLY = 0o600;

const EMBEDDED_CHAT_MODEL = "embedded/extractive";
/** The default of wrangler.toml. */
const EMBEDDED_EMBEDDING_MODEL = "embedded/hash";
const LOCAL = "local/";

type Models = {
  chatModel: string;
  embeddingModel: string;
  /** Null: the default of wrangler.toml. */
  dimensions: string | null;
};

/** Settings of the Worker for a model server. The key is not an argument: `ps` would show it. */
export type ModelSettings = Models & { vars: string[]; envFiles: string[] };

/**
 * The models that the user's environment names; where it names only a server, those that the
 * server lists.
 * @throws CommandFailure when the server does not answer
 */
export async function modelSettings(
  environment: NodeJS.ProcessEnv,
  stateFolder: string,
): Promise<ModelSettings> {
  const baseUrl = valueOf(environment, "OPENAI_COMPATIBLE_BASE_URL");
  const secret = valueOf(environment, SECRET);
  const server = baseUrl === undefined ? null : { baseUrl, apiKey: secret };
  const models = await chosenModels(environment, server);
  const { embeddingModel, dimensions } = models;
  const isDefault = embeddingModel === EMBEDDED_EMBEDDING_MODEL;
  const vars = [
    ...(baseUrl === undefined ? [] : [`OPENAI_COMPATIBLE_BASE_URL:${baseUrl}`]),
    ...(isDefault ? [] : [`EMBEDDING_MODEL:${embeddingModel}`]),
    ...(dimensions === null ? [] : [`EMBEDDING_DIMENSIONS:${dimensions}`]),
  ];
  if (secret === undefined) return { ...models, vars, envFiles: [] };
  await mkdir(stateFolder, { recursive: true });
  const file = join(stateFolder, "model.env");
  await writeFile(file, `${SECRET}=${JSON.stringify(secret)}\n`, { mode: OWNER_ONLY });
  await chmod(file, OWNER_ONLY);
  return { ...models, vars, envFiles: [resolve(file)] };
}

function valueOf(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = environment[name];
  return value === "" ? undefined : value;
}

async function chosenModels(
  environment: NodeJS.ProcessEnv,
  server: ModelServer | null,
): Promise<Models> {
  const chat = valueOf(environment, "CHAT_MODEL");
  const embedding = valueOf(environment, "EMBEDDING_MODEL");
  const isNamed = chat !== undefined && embedding !== undefined;
  const served = server === null || isNamed ? null : await discoverModels(server);
  const chatModel = chat ?? localName(served?.chat) ?? EMBEDDED_CHAT_MODEL;
  const embeddingModel = embedding ?? localName(served?.embedding) ?? EMBEDDED_EMBEDDING_MODEL;
  const dimensions =
    valueOf(environment, "EMBEDDING_DIMENSIONS") ?? (await askedDimensions(server, embeddingModel));
  return { chatModel, embeddingModel, dimensions };
}

const localName = (name: string | null | undefined) =>
  typeof name === "string" ? `${LOCAL}${name}` : undefined;

async function askedDimensions(server: ModelServer | null, model: string): Promise<string | null> {
  if (server === null || !model.startsWith(LOCAL)) return null;
  return String(await dimensionsOf(server, model.slice(LOCAL.length)));
}
