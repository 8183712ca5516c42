import { BUILT_IN_MODELS } from "../../ports/models.ts";
import { CommandFailure } from "../failure.ts";
import {
  USUAL_PLACES,
  dimensionsOf,
  findServers,
  modelsOf,
  type FoundServer,
  type ModelPlace,
  type ModelServer,
} from "./model-server.ts";
import type { Variables } from "../worker/worker-variables.ts";

const SECRET = "OPENAI_COMPATIBLE_API_KEY";
const LOCAL = "local/";
const { chat: BUILT_IN_CHAT, embedding: BUILT_IN_EMBEDDING } = BUILT_IN_MODELS;

type Models = {
  chatModel: string;
  embeddingModel: string;
  /** Null: the default of wrangler.toml. */
  dimensions: string | null;
  /** The address of the server of `local/…` models, ending in /v1; null without one. */
  baseUrl: string | null;
  /** What is used, and how to choose otherwise, in one line. */
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
  const named = namedIn(environment);
  const models = withNamedSize(await chosenModels(named, choice), named);
  const { embeddingModel, dimensions } = models;
  // The key below is for the server that is named, with --embedded, too.
  const baseUrl = models.baseUrl ?? named.baseUrl;
  // It may stand in .dev.vars, which the Worker reads, and --embedded overrides it.
  const isDefault = embeddingModel === BUILT_IN_EMBEDDING && named.embedding === undefined;
  const variables: Variables = {
    ...(baseUrl === undefined ? {} : { OPENAI_COMPATIBLE_BASE_URL: baseUrl }),
    ...(isDefault ? {} : { EMBEDDING_MODEL: embeddingModel }),
    ...(dimensions === null ? {} : { EMBEDDING_DIMENSIONS: dimensions }),
  };
  return { ...models, variables };
}

type Named = ReturnType<typeof namedIn>;

/** What the user's environment names; an empty variable is not set. */
function namedIn(environment: NodeJS.ProcessEnv) {
  const value = (name: string) => (environment[name] === "" ? undefined : environment[name]);
  return {
    chat: value("CHAT_MODEL"),
    embedding: value("EMBEDDING_MODEL"),
    dimensions: value("EMBEDDING_DIMENSIONS"),
    baseUrl: value("OPENAI_COMPATIBLE_BASE_URL"),
    apiKey: value(SECRET),
  };
}

/** Built-in models make vectors of any size, so that a size named for another model counts, too. */
function withNamedSize(models: Models, { dimensions }: Named): Models {
  if (dimensions === undefined || models.embeddingModel !== BUILT_IN_EMBEDDING) return models;
  const about = `${models.about} Its vectors have ${dimensions} dimensions, as EMBEDDING_DIMENSIONS says.`;
  return { ...models, dimensions, about };
}

const usage = (chat: string, embedding: string) => `Models: ${chat} answers, ${embedding} embeds`;
const isBuiltIn = (name: string) => name.startsWith("embedded/");
const isLocal = (name: string) => name.startsWith(LOCAL);
const withoutPrefix = (name: string) => name.replace(LOCAL, "");

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

async function chosenModels(named: Named, choice: ModelChoice): Promise<Models> {
  const { embedded = false, madeWith = null, places = USUAL_PLACES } = choice;
  if (embedded) return builtInModels();
  if (named.baseUrl === undefined && mayBeHere(named)) {
    return await foundModels(named, madeWith, places);
  }
  return await namedModels(named, madeWith);
}

async function namedModels(named: Named, madeWith: string | null): Promise<Models> {
  const { baseUrl, apiKey, chat, embedding } = named;
  const server = baseUrl === undefined ? null : { baseUrl, apiKey };
  const isNamed = chat !== undefined && embedding !== undefined;
  const listed = server === null || isNamed ? [] : await modelsOf(server);
  const first = firstOf(listed);
  const kept = madeWith === null ? null : listedAs(listed, madeWith);
  const chatModel = chat ?? first.chat;
  const embeddingModel = embedding ?? kept ?? first.embedding;
  const dimensions = await sizeOf(server, embeddingModel, named);
  const about = `${usage(chatModel, embeddingModel)}.`;
  return { chatModel, embeddingModel, dimensions, baseUrl: baseUrl ?? null, about };
}

/** Whether a server of this machine could serve what the user did not name, or did. */
function mayBeHere({ chat = LOCAL, embedding = LOCAL }: Named): boolean {
  const names = [chat, embedding];
  return names.some(isLocal) && names.every((name) => isLocal(name) || isBuiltIn(name));
}

async function sizeOf(
  server: ModelServer | null,
  model: string,
  { dimensions }: Named,
): Promise<string | null> {
  if (dimensions !== undefined || server === null || !isLocal(model)) return dimensions ?? null;
  return String(await dimensionsOf(server, withoutPrefix(model)));
}

/** Models of a server at one of the usual places of this machine, else the built-in ones. */
async function foundModels(
  named: Named,
  madeWith: string | null,
  places: ModelPlace[],
): Promise<Models> {
  const found = await findServers(places);
  const unusable = found.flatMap((one) => ("why" in one ? `${placeOf(one)} ${one.why}` : []));
  const offers = found.flatMap((one) => offerOf(one, named, madeWith) ?? []);
  const [best] = offers.toSorted((one, other) => other.worth - one.worth);
  if (best === undefined) return withoutServer(named, madeWith, unusable);
  if (best.worth === 0) {
    return builtInModels([...unusable, `${placeOf(best)} lists no model that would be used`]);
  }
  const { baseUrl, chatModel, embeddingModel, about } = best;
  try {
    const dimensions = await sizeOf({ baseUrl }, embeddingModel, named);
    return { chatModel, embeddingModel, dimensions, baseUrl, about };
  } catch (thrown) {
    const isFree = (named.chat ?? named.embedding ?? madeWith ?? null) === null;
    if (!isFree || !(thrown instanceof CommandFailure)) throw thrown;
    return builtInModels([...unusable, `${baseUrl} could not embed with ${embeddingModel}`]);
  }
}

const placeOf = ({ baseUrl, program }: Pick<FoundServer, "baseUrl" | "program">) =>
  `${baseUrl} (port of ${program})`;

/** What a server would do; null where it does not list a model that must be used. */
function offerOf(server: FoundServer, { chat, embedding }: Named, madeWith: string | null) {
  if (!("models" in server)) return null;
  const { models, program, baseUrl } = server;
  const first = firstOf(models);
  const servedName = (name: string) => (isBuiltIn(name) ? name : listedAs(models, name));
  const chatModel = servedName(chat ?? first.chat);
  const embeddingModel = servedName(embedding ?? madeWith ?? first.embedding);
  if (chatModel === null || embeddingModel === null) return null;
  const about =
    `${usage(chatModel, embeddingModel)}, with ${program} at ${baseUrl}. ` +
    "To use others, set CHAT_MODEL and EMBEDDING_MODEL; --embedded uses the built-in ones.";
  // One that answers is worth more than one that only embeds.
  const worth = (isLocal(chatModel) ? 2 : 0) + (isLocal(embeddingModel) ? 1 : 0);
  return { program, baseUrl, chatModel, embeddingModel, about, worth };
}

/** @throws CommandFailure when a model that was named, or made the index, is not built in */
function withoutServer(
  { chat, embedding }: Named,
  madeWith: string | null,
  unusable: string[],
): Models {
  const needed = [chat, embedding ?? madeWith].filter((name) => name != null && !isBuiltIn(name));
  if (needed.length === 0) return builtInModels(unusable);
  const why = unusable.length === 0 ? "" : ` (${unusable.join("; ")})`;
  const isKept = embedding === undefined && madeWith !== null && !isBuiltIn(madeWith);
  const kept = isKept
    ? ` The index in this state folder was made with ${madeWith}: with --embedded or EMBEDDING_MODEL, another model embeds all files again.`
    : "";
  throw new CommandFailure(
    `No server at the usual local ports lists ${needed.join(" and ")}${why}. Start one, or set OPENAI_COMPATIBLE_BASE_URL.${kept}`,
  );
}

/** Servers list names, not purposes: embedding models are known by the names of their families. */
const EMBEDS =
  /embed|\bbge-(?!rerank)|\be5\b|\bgte\b|minilm|mpnet|paraphrase|sentence-|arctic-embed|stella|labse/i;
const NEITHER = /rerank|whisper|\btts\b|speech|audio|dall-e|image|diffusion|moderation|guard|ocr/i;
/** Ollama lists models that run on its own servers, too: no document goes there unasked. */
const RUNS_ELSEWHERE = /[:-]cloud$/i;
/** Answer questions about documents, but worse than a general model. */
const SPECIAL = /code|math|vision|vl\b|llava|moondream|[-_]base\b|draft/i;

/** The first that answers, general ones before special ones, and the first that embeds. */
function firstOf(listed: string[]) {
  const names = listed.filter((name) => !NEITHER.test(name) && !RUNS_ELSEWHERE.test(name));
  const chats = names.filter((name) => !EMBEDS.test(name));
  const chat = chats.find((name) => !SPECIAL.test(name)) ?? chats[0];
  const embedding = names.find((name) => EMBEDS.test(name));
  return {
    chat: chat === undefined ? BUILT_IN_CHAT : LOCAL + chat,
    embedding: embedding === undefined ? BUILT_IN_EMBEDDING : LOCAL + embedding,
  };
}

/** The list's name of a `local/…` model: Ollama lists `llama3.2` as `llama3.2:latest`. */
function listedAs(listed: string[], model: string): string | null {
  const name = withoutPrefix(model);
  const found = listed.find((one) => one === name || one === `${name}:latest`);
  return found === undefined ? null : LOCAL + found;
}
