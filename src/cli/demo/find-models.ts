import { CommandFailure } from "../failure.ts";
import { chooseModels, listedAs } from "./choose-models.ts";
import { dimensionsOf } from "./discover-models.ts";
import { findLocalServers } from "./local-servers.ts";
import type { LocalServer, ModelPlace } from "./local-servers.ts";

/** Long enough to load a small model; a start must not hang on a server that nobody named. */
const EMBEDS_WITHIN_MS = 20_000;
const EMBEDDED = "embedded/";
export const EMBEDDED_CHAT_MODEL = `${EMBEDDED}extractive`;
/** The default of wrangler.toml. */
export const EMBEDDED_EMBEDDING_MODEL = `${EMBEDDED}hash`;
export const LOCAL = "local/";

export type Models = {
  chatModel: string;
  embeddingModel: string;
  /** Null: the default of wrangler.toml. */
  dimensions: string | null;
  /** The address of the server of `local/…` models, ending in /v1; null without one. */
  baseUrl: string | null;
  /** What is used, and how to choose otherwise, in one line. */
  about: string;
};

export type WantedModels = {
  /** Named by the user: `local/…` or `embedded/…`. */
  chat: string | undefined;
  embedding: string | undefined;
  dimensions: string | undefined;
  /** The embedding model of the existing index; null without one. */
  madeWith: string | null;
  places: ModelPlace[];
};

/** What one server would do; `other` is the embedding model that it would use for a new index. */
type Offer = LocalServer & { chat: string; embedding: string; other: string | null };

export const usage = (chat: string, embedding: string) =>
  `Models: ${chat} answers, ${embedding} embeds`;

export const localName = (name: string | null | undefined) =>
  typeof name === "string" ? `${LOCAL}${name}` : undefined;

export function builtInModels(unusable: string[] = []): Models {
  const chatModel = EMBEDDED_CHAT_MODEL;
  const embeddingModel = EMBEDDED_EMBEDDING_MODEL;
  const why = unusable.length === 0 ? "" : ` No model server is used: ${unusable.join("; ")}.`;
  const about = `${usage(chatModel, embeddingModel)}.${why}`;
  return { chatModel, embeddingModel, dimensions: null, baseUrl: null, about };
}

/**
 * Models of a server at one of the usual places of this machine, else the built-in ones. An
 * existing index keeps its embedding model unless the user names another.
 * @throws CommandFailure when a model that the user named, or that made the index, is not served
 */
export async function findModels(wanted: WantedModels): Promise<Models> {
  const { servers, unusable } = await findLocalServers(wanted.places);
  const offers = servers.flatMap((server) => offerOf(server, wanted) ?? []);
  const [best] = offers.toSorted((one, other) => worthOf(other) - worthOf(one));
  if (best === undefined) checkNothingIsMissed(wanted, unusable);
  if (best === undefined) return builtInModels(unusable);
  if (worthOf(best) === 0) return builtInModels([...unusable, offersNothing(best)]);
  const { baseUrl, chat, embedding } = best;
  try {
    const dimensions = await sizeOf(best, wanted.dimensions);
    const chosen = { chatModel: chat, embeddingModel: embedding, dimensions };
    return { ...chosen, baseUrl, about: aboutOffer(best, wanted) };
  } catch (thrown) {
    const isFree = (wanted.chat ?? wanted.embedding ?? wanted.madeWith ?? null) === null;
    if (!isFree || !(thrown instanceof CommandFailure)) throw thrown;
    return builtInModels([...unusable, `${baseUrl} could not embed with ${embedding}`]);
  }
}

/** Null where the server does not list a model that must be used. */
function offerOf(server: LocalServer, wanted: WantedModels): Offer | null {
  const { models } = server;
  const first = chooseModels(models, null);
  const other = localName(first.embedding) ?? null;
  const answers = wanted.chat ?? localName(first.chat) ?? EMBEDDED_CHAT_MODEL;
  const embeds = wanted.embedding ?? wanted.madeWith ?? other ?? EMBEDDED_EMBEDDING_MODEL;
  const chat = servedName(models, answers);
  const embedding = servedName(models, embeds);
  return chat === null || embedding === null ? null : { ...server, chat, embedding, other };
}

function servedName(models: string[], name: string): string | null {
  if (name.startsWith(EMBEDDED)) return name;
  return localName(listedAs(models, name.replace(LOCAL, ""))) ?? null;
}

/** A server that answers is worth more than one that only embeds. */
function worthOf({ chat, embedding }: Offer): number {
  return (chat.startsWith(LOCAL) ? 2 : 0) + (embedding.startsWith(LOCAL) ? 1 : 0);
}

const offersNothing = ({ program, baseUrl }: Offer) =>
  `${baseUrl} (port of ${program}) lists no model that would be used`;

function checkNothingIsMissed(wanted: WantedModels, unusable: string[]): void {
  const { chat, embedding, madeWith } = wanted;
  const why = unusable.length === 0 ? "" : ` (${unusable.join("; ")})`;
  const named = [chat, embedding].filter((name) => name?.startsWith(LOCAL) === true);
  if (named.length > 0) {
    throw new CommandFailure(
      `No server at the usual local ports lists ${named.join(" and ")}${why}. Start one, or set OPENAI_COMPATIBLE_BASE_URL.`,
    );
  }
  if (embedding !== undefined || madeWith === null || madeWith.startsWith(EMBEDDED)) return;
  throw new CommandFailure(
    `The index in this state folder was made with ${madeWith}, which no server at the usual local ports lists${why}. ` +
      "Start the server, or set OPENAI_COMPATIBLE_BASE_URL or EMBEDDING_MODEL. With --embedded, the built-in model embeds all files again.",
  );
}

async function sizeOf(
  { baseUrl, embedding }: Offer,
  named: string | undefined,
): Promise<string | null> {
  if (named !== undefined || !embedding.startsWith(LOCAL)) return named ?? null;
  const server = { baseUrl, apiKey: undefined };
  return String(await dimensionsOf(server, embedding.slice(LOCAL.length), EMBEDS_WITHIN_MS));
}

function aboutOffer({ program, baseUrl, chat, embedding, other }: Offer, wanted: WantedModels) {
  const isKept = wanted.embedding === undefined && wanted.madeWith !== null && other !== null;
  const kept = isKept && other !== embedding ? ` as before (${other} is available, too)` : "";
  return (
    `${usage(chat, embedding)}${kept}, with ${program} at ${baseUrl}. ` +
    "To use others, set CHAT_MODEL and EMBEDDING_MODEL; --embedded uses the built-in ones."
  );
}
