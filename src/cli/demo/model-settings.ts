import { writeVariables } from "../worker/variable-files.ts";
import type { ServedModels } from "./choose-models.ts";
import { dimensionsOf, discoverModels } from "./discover-models.ts";
import type { ModelServer } from "./discover-models.ts";
import {
  builtInModels,
  EMBEDDED_CHAT_MODEL,
  EMBEDDED_EMBEDDING_MODEL,
  findModels,
  LOCAL,
  localName,
  usage,
} from "./find-models.ts";
import type { Models } from "./find-models.ts";
import { USUAL_PLACES } from "./local-servers.ts";
import type { ModelPlace } from "./local-servers.ts";

const SECRET = "OPENAI_COMPATIBLE_API_KEY";

/** Settings of the Worker for a model server. The key is not an argument: `ps` would show it. */
export type ModelSettings = Models & { vars: string[]; envFiles: string[] };

export type ModelChoice = {
  /** Use the built-in models, whatever else there is. */
  embedded?: boolean;
  /** The embedding model of the existing index; null without one. */
  madeWith?: string | null;
  /** The embedding model of the index that is being made in its place; null when none is. */
  begunWith?: string | null;
  /** Where to look for a server when the environment names none. */
  places?: ModelPlace[];
};

/**
 * The models that the user's environment names; where it names only a server, those that the
 * server lists; where it names none, those of a server on this machine.
 * @throws CommandFailure when a server that was named does not answer; see `findModels`
 */
export async function modelSettings(
  environment: NodeJS.ProcessEnv,
  stateFolder: string,
  choice: ModelChoice = {},
): Promise<ModelSettings> {
  const models = withNamedSize(await chosenModels(environment, choice), environment);
  const { embeddingModel, dimensions } = models;
  const named = valueOf(environment, "OPENAI_COMPATIBLE_BASE_URL");
  // The key below is for the server that is named, with --embedded, too.
  const baseUrl = models.baseUrl ?? named ?? null;
  const isDefault = embeddingModel === EMBEDDED_EMBEDDING_MODEL;
  // It may stand in .dev.vars, which the Worker reads, and --embedded overrides it.
  const isNamed = valueOf(environment, "EMBEDDING_MODEL") !== undefined;
  const vars = [
    ...(baseUrl === null ? [] : [`OPENAI_COMPATIBLE_BASE_URL:${baseUrl}`]),
    ...(isDefault && !isNamed ? [] : [`EMBEDDING_MODEL:${embeddingModel}`]),
    ...(dimensions === null ? [] : [`EMBEDDING_DIMENSIONS:${dimensions}`]),
  ];
  const secret = valueOf(environment, SECRET);
  // A server that was only found is not the one that the key was given for.
  const secrets = secret === undefined || named === undefined ? {} : { [SECRET]: secret };
  return { ...models, vars, envFiles: await writeVariables(stateFolder, "model.env", secrets) };
}

/** Built-in models make vectors of any size, so that a size named for another model counts, too. */
function withNamedSize(models: Models, environment: NodeJS.ProcessEnv): Models {
  const dimensions = valueOf(environment, "EMBEDDING_DIMENSIONS");
  const isBuiltIn = models.embeddingModel === EMBEDDED_EMBEDDING_MODEL;
  if (dimensions === undefined || !isBuiltIn) return models;
  const about = `${models.about} Its vectors have ${dimensions} dimensions, as EMBEDDING_DIMENSIONS says.`;
  return { ...models, dimensions, about };
}

function valueOf(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = environment[name];
  return value === "" ? undefined : value;
}

async function chosenModels(
  environment: NodeJS.ProcessEnv,
  { embedded = false, madeWith = null, begunWith = null, places = USUAL_PLACES }: ModelChoice,
): Promise<Models> {
  if (embedded) return builtInModels();
  const chat = valueOf(environment, "CHAT_MODEL");
  const embedding = valueOf(environment, "EMBEDDING_MODEL");
  const dimensions = valueOf(environment, "EMBEDDING_DIMENSIONS");
  const baseUrl = valueOf(environment, "OPENAI_COMPATIBLE_BASE_URL");
  const named = { chat, embedding, dimensions };
  if (baseUrl === undefined && maybeHere(chat, embedding)) {
    return await findModels({ ...named, madeWith, places });
  }
  const server = baseUrl === undefined ? null : { baseUrl, apiKey: valueOf(environment, SECRET) };
  // An index that is being made with --embedded goes on, though the named server has other models.
  const goesOnWith = embedding ?? begunWith ?? undefined;
  return await namedModels({ ...named, embedding: goesOnWith }, server, madeWith);
}

/** Whether a server of this machine could serve what the user did not name, or did. */
function maybeHere(chat: string | undefined, embedding: string | undefined): boolean {
  const names = [chat, embedding];
  const isElsewhere = (name = LOCAL) => !/^(local|embedded)\//.test(name);
  if (names.some(isElsewhere)) return false;
  return names.some((name) => name === undefined || name.startsWith(LOCAL));
}

type NamedModels = {
  chat: string | undefined;
  embedding: string | undefined;
  dimensions: string | undefined;
};

async function namedModels(
  { chat, embedding, dimensions }: NamedModels,
  server: ModelServer | null,
  madeWith: string | null,
): Promise<Models> {
  const isNamed = chat !== undefined && embedding !== undefined;
  const served = server === null || isNamed ? NOTHING : await servedModels(server, madeWith);
  const chatModel = chat ?? localName(served.chat) ?? EMBEDDED_CHAT_MODEL;
  const embeddingModel = embedding ?? localName(served.embedding) ?? EMBEDDED_EMBEDDING_MODEL;
  return {
    chatModel,
    embeddingModel,
    dimensions: dimensions ?? (await askedDimensions(server, embeddingModel)),
    baseUrl: server?.baseUrl ?? null,
    about: `${usage(chatModel, embeddingModel)}.`,
  };
}

const NOTHING: ServedModels = { chat: null, embedding: null };

function servedModels(server: ModelServer, madeWith: string | null): Promise<ServedModels> {
  const isLocal = madeWith?.startsWith(LOCAL) === true;
  return discoverModels(server, isLocal ? madeWith.slice(LOCAL.length) : null);
}

async function askedDimensions(server: ModelServer | null, model: string): Promise<string | null> {
  if (server === null || !model.startsWith(LOCAL)) return null;
  return String(await dimensionsOf(server, model.slice(LOCAL.length)));
}
