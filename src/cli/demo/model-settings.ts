import { lastPart, modelKindOf } from "../../core/models/model-kind.ts";
import {
  environmentServers,
  SERVER_NAME,
  type KeyedServer,
} from "../../core/models/model-servers.ts";
import { BUILT_IN_MODELS } from "../../ports/models.ts";
import { CommandFailure } from "../failure.ts";
import { omitEmpty, type Variables } from "../worker/worker-variables.ts";
import { USUAL_PLACES, dimensionsOf, findServers, serverAt, modelsOf } from "./model-server.ts";
import type { FoundServer, ModelPlace } from "./model-server.ts";

const { chat: BUILT_IN_CHAT, embedding: BUILT_IN_EMBEDDING } = BUILT_IN_MODELS;

type Models = {
  chatModel: string;
  embeddingModel: string;
  /** Null: the default of wrangler.toml. */
  dimensions: string | null;
  /** The address of the server of `local/…` models, ending in /v1; null without one. */
  baseUrl: string | null;
  /** The models in use, and how to choose others, in one line. */
  about: string;
};

/** Settings of the Worker for a model server. */
export type ModelSettings = Models & { variables: Variables };

export type ModelChoice = {
  embedded?: boolean;
  /** The embedding model of the existing index; null without one. */
  madeWith?: string | null;
  /** Where to look for a server when the environment names none. */
  places?: ModelPlace[];
};

/**
 * The models that the user's environment names; where it names only a server, those that the
 * server lists; where it names none, those of a server on this machine. An existing index keeps its
 * embedding model.
 * @throws CommandFailure when a server that was named does not answer, or a model that was named,
 *   or made the index, is not served
 */
export async function modelSettings(
  environment: NodeJS.ProcessEnv,
  choice: ModelChoice = {},
): Promise<ModelSettings> {
  const settings = omitEmpty(environment);
  const models = applyNamedSize(await chooseModels(settings, choice), settings);
  const { embeddingModel, dimensions } = models;
  // The key below is for the server that is named, with --embedded, too.
  const baseUrl = models.baseUrl ?? settings["OPENAI_COMPATIBLE_BASE_URL"];
  // It may stand in .dev.vars, which the Worker reads, and --embedded overrides it.
  const isDefault = embeddingModel === BUILT_IN_EMBEDDING && !("EMBEDDING_MODEL" in settings);
  const variables: Variables = {
    ...(baseUrl === undefined ? {} : { OPENAI_COMPATIBLE_BASE_URL: baseUrl }),
    ...(isDefault ? {} : { EMBEDDING_MODEL: embeddingModel }),
    ...(dimensions === null ? {} : { EMBEDDING_DIMENSIONS: dimensions }),
  };
  return { ...models, variables };
}

/** Built-in models make vectors of any size, so that a size named for another model counts, too. */
function applyNamedSize(models: Models, settings: Variables): Models {
  const { EMBEDDING_DIMENSIONS: dimensions } = settings;
  if (dimensions === undefined || models.embeddingModel !== BUILT_IN_EMBEDDING) return models;
  const about = `${models.about} Its vectors have ${dimensions} dimensions, as EMBEDDING_DIMENSIONS says.`;
  return { ...models, dimensions, about };
}

const usage = (chat: string, embedding: string) => `Models: ${chat} answers, ${embedding} embeds`;
const isBuiltIn = (name: string) => name.startsWith("embedded/");
const prefixOf = (name: string) => name.slice(0, name.indexOf("/"));
const isLocal = (name: string) => SERVER_NAME.test(prefixOf(name));

function builtInModels(unusable: string[] = []): Models {
  const why = unusable.length === 0 ? "" : ` No model server is used: ${unusable.join("; ")}.`;
  return {
    chatModel: BUILT_IN_CHAT,
    embeddingModel: BUILT_IN_EMBEDDING,
    dimensions: null,
    baseUrl: null,
    about: `${usage(BUILT_IN_CHAT, BUILT_IN_EMBEDDING)}.${why}`,
  };
}

async function chooseModels(settings: Variables, choice: ModelChoice): Promise<Models> {
  const { embedded = false, madeWith = null, places = USUAL_PLACES } = choice;
  if (embedded) return builtInModels();
  const isToFind = environmentServers(settings).length === 0 && mayServeLocally(settings);
  if (isToFind) return await findModels(settings, madeWith, places);
  return await resolveNamedModels(settings, madeWith);
}

async function resolveNamedModels(settings: Variables, madeWith: string | null): Promise<Models> {
  const { OPENAI_COMPATIBLE_BASE_URL: baseUrl = null } = settings;
  const { CHAT_MODEL: chat, EMBEDDING_MODEL: embedding } = settings;
  const servers = environmentServers(settings);
  const isNamed = chat !== undefined && embedding !== undefined;
  const names = (await Promise.all((isNamed ? [] : servers).map(modelsOf))).flat();
  const first = firstOf(names);
  const keptName = madeWith === null ? null : listedNameOf(names, madeWith);
  const chatModel = chat ?? first.chat;
  const embeddingModel = embedding ?? keptName ?? first.embedding;
  const dimensions = await sizeOf(servers, embeddingModel, settings);
  const places = servers.map((server) => `${server.name}/… at ${server.baseUrl}`);
  const about = `${[usage(chatModel, embeddingModel), ...places].join(", ")}.`;
  return { chatModel, embeddingModel, dimensions, baseUrl, about };
}

/** Whether a server of this machine could serve what the user did not name, or did. */
function mayServeLocally(settings: Variables): boolean {
  const names = [settings["CHAT_MODEL"] ?? "local/", settings["EMBEDDING_MODEL"] ?? "local/"];
  return names.some(isLocal) && names.every((name) => isLocal(name) || isBuiltIn(name));
}

async function sizeOf(
  servers: KeyedServer[],
  model: string,
  { EMBEDDING_DIMENSIONS: dimensions }: Variables,
): Promise<string | null> {
  const server = servers.find(({ name }) => name === prefixOf(model));
  if (dimensions !== undefined || server === undefined) return dimensions ?? null;
  return String(await dimensionsOf(server, model.slice(server.name.length + 1)));
}

/** Models of a server at one of the usual places of this machine, else the built-in ones. */
async function findModels(settings: Variables, madeWith: string | null, places: ModelPlace[]) {
  const servers = await findServers(places);
  const unusable = servers.flatMap((server) =>
    server.problem === null ? [] : `${placeOf(server)} ${server.problem}`,
  );
  const offers = servers.flatMap((server) => offerOf(server, settings, madeWith) ?? []);
  const [best] = offers.toSorted((a, b) => b.worth - a.worth);
  if (best === undefined) return fallBackToBuiltIn(settings, madeWith, unusable);
  if (best.worth === 0) {
    return builtInModels([...unusable, `${placeOf(best)} lists no model that would be used`]);
  }
  const { baseUrl, chatModel, embeddingModel } = best;
  try {
    const dimensions = await sizeOf([serverAt(baseUrl)], embeddingModel, settings);
    const about = best.about + embedderHint(servers, best);
    return { chatModel, embeddingModel, dimensions, baseUrl, about };
  } catch (thrown) {
    const isFree =
      madeWith === null && !("CHAT_MODEL" in settings || "EMBEDDING_MODEL" in settings);
    if (!isFree || !(thrown instanceof CommandFailure)) throw thrown;
    return builtInModels([...unusable, `${baseUrl} could not embed with ${embeddingModel}`]);
  }
}

/** Settings with which a server of this machine embeds the files in place of the built-in model. */
function embedderHint(
  servers: FoundServer[],
  { baseUrl, embeddingModel }: Pick<Models, "baseUrl" | "embeddingModel">,
): string {
  const embedders = servers.filter(({ names }) => isLocal(firstOf(names).embedding));
  const embedder = embedders.find((server) => server.baseUrl === baseUrl) ?? embedders[0];
  if (isLocal(embeddingModel) || embedder === undefined) return "";
  const model = firstOf(embedder.names).embedding;
  const settings =
    embedder.baseUrl === baseUrl
      ? `EMBEDDING_MODEL=${model}`
      : `OPENAI_COMPATIBLE_BASE_URL=${baseUrl} EMBEDDING_BASE_URL=${embedder.baseUrl} EMBEDDING_MODEL=local-embed${model.slice("local".length)}`;
  return ` To embed the files with ${model} of ${embedder.baseUrl}, start with ${settings}.`;
}

const placeOf = ({ baseUrl, program }: Pick<FoundServer, "baseUrl" | "program">) =>
  `${baseUrl} (port of ${program})`;

/** The models that a server offers; null where it does not list one that must be used. */
function offerOf(server: FoundServer, settings: Variables, madeWith: string | null) {
  const { names, problem, program, baseUrl } = server;
  if (problem !== null) return null;
  const first = firstOf(names);
  const servedNameOf = (name: string) => (isBuiltIn(name) ? name : listedNameOf(names, name));
  const chatModel = servedNameOf(settings["CHAT_MODEL"] ?? first.chat);
  const embeddingModel = servedNameOf(settings["EMBEDDING_MODEL"] ?? madeWith ?? first.embedding);
  if (chatModel === null || embeddingModel === null) return null;
  const about =
    `${usage(chatModel, embeddingModel)}, with ${program} at ${baseUrl}. ` +
    "To use others, set CHAT_MODEL and EMBEDDING_MODEL; --embedded uses the built-in ones.";
  // One that answers is worth more than one that only embeds.
  const worth = (isLocal(chatModel) ? 2 : 0) + (isLocal(embeddingModel) ? 1 : 0);
  return { program, baseUrl, chatModel, embeddingModel, about, worth };
}

/** @throws CommandFailure when a model that was named, or made the index, is not built in */
function fallBackToBuiltIn(
  { CHAT_MODEL: chat, EMBEDDING_MODEL: embedding }: Variables,
  madeWith: string | null,
  unusable: string[],
): Models {
  const needed = [chat, embedding ?? madeWith].filter((name) => name != null && !isBuiltIn(name));
  if (needed.length === 0) return builtInModels(unusable);
  const why = unusable.length === 0 ? "" : ` (${unusable.join("; ")})`;
  const isKept = embedding === undefined && madeWith !== null && !isBuiltIn(madeWith);
  const note = isKept
    ? ` The index in this state folder was made with ${madeWith}: with --embedded or EMBEDDING_MODEL, another model embeds all files again.`
    : "";
  throw new CommandFailure(
    `No server at the usual local ports lists ${needed.join(" and ")}${why}. Start one, or set OPENAI_COMPATIBLE_BASE_URL.${note}`,
  );
}

/** Ollama lists models that run on its own servers, too: no document goes there unasked. */
export const RUNS_ELSEWHERE = /[:-]cloud$/i;
/** Answer questions about documents, but worse than a general model. */
const SPECIAL = /code|math|vision|vl\b|llava|moondream|[-_]base\b|draft/i;

/** The first that answers, general ones before special ones, and the first that embeds. */
function firstOf(models: string[]) {
  const names = models.filter((name) => !RUNS_ELSEWHERE.test(name));
  const chats = names.filter((name) => modelKindOf(name) === "chat");
  const chat = chats.find((name) => !SPECIAL.test(lastPart(name))) ?? chats[0];
  const embedding = names.find((name) => modelKindOf(name) === "embedding");
  return { chat: chat ?? BUILT_IN_CHAT, embedding: embedding ?? BUILT_IN_EMBEDDING };
}

/** The list's name of a model: Ollama lists `llama3.2` as `llama3.2:latest`. */
const listedNameOf = (names: string[], name: string): string | null =>
  names.find((model) => model === name || model === `${name}:latest`) ?? null;
