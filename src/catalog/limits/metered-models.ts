import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart as StreamPart,
} from "@ai-sdk/provider";
import type { LanguageModelV4Usage } from "@ai-sdk/provider";

import { QuarryError, SpendingReached } from "../../core/errors.ts";
import { ModelFailure, rerankedTokens } from "../../ports/models.ts";
import type { ImageReader, ModelRegistry } from "../../ports/models.ts";
import type { Reservation, ModelTokens, Spending, SpendingSubject } from "../../ports/spending.ts";
import type { Services } from "../../services.ts";
import { estimateTokens, type Tokenizer } from "../../text/tokens.ts";

/** An answer has at most so many tokens where nothing else bounds it. */
export const MOST_OUTPUT = 4_096;
/** Providers count differently: our estimate of a prompt, and a quarter more. */
const PROMPT_MARGIN = 1.25;
/** A picture and its prompt have at most so many tokens: models scale larger ones down. */
const PICTURE_INPUT = 4_096;
const NO_TOKENS: ModelTokens = { input: 0, output: 0 };

export const maxTokensOf = (text: string, tokenizer: Tokenizer, output = 0): ModelTokens => ({
  input: Math.ceil(estimateTokens(text, tokenizer) * PROMPT_MARGIN),
  output,
});

/** Registries without limits, by those with them: a call is reserved once. */
const originals = new WeakMap<ModelRegistry, ModelRegistry>();

/** Models whose every call is reserved before it is made, and settled after. */
export function meteredModels(registry: ModelRegistry, spending: Spending): ModelRegistry {
  const models = originals.get(registry) ?? registry;
  const metered: ModelRegistry = {
    ...models,
    chat(name) {
      const chat = models.chat(name);
      const { model, tokenizer } = chat;
      const reserve = async (options: LanguageModelV4CallOptions) => {
        const maxOutputTokens = options.maxOutputTokens ?? MOST_OUTPUT;
        const maxTokens = () => maxTokensOf(textOf(options), tokenizer, maxOutputTokens);
        const hold = await spending.reserve({ kind: "chat", model: name, maxTokens });
        return { hold, request: hold.isLimited ? { ...options, maxOutputTokens } : options };
      };
      const doGenerate: typeof model.doGenerate = async (options) => {
        const { hold, request } = await reserve(options);
        return await settle(hold, model.doGenerate(request), ({ usage }) => tokensIn(usage));
      };
      const doStream: typeof model.doStream = async (options) => {
        const { hold, request } = await reserve(options);
        const { stream, ...result } = await settle(hold, model.doStream(request));
        return { ...result, stream: stream.pipeThrough(meteredStream(hold)) };
      };
      return Object.assign(chat, { model: overrideMethods(model, { doGenerate, doStream }) });
    },
    embedder(name, dimensions) {
      const embedder = models.embedder(name, dimensions);
      const { model, tokenizer } = embedder;
      const doEmbed: typeof model.doEmbed = async (options) => {
        const maxTokens = () => maxTokensOf(options.values.join("\n"), tokenizer);
        const hold = await spending.reserve({ kind: "embedding", model: name, maxTokens });
        return await settle(hold, model.doEmbed(options), ({ usage }) => inputOf(usage?.tokens));
      };
      return Object.assign(embedder, { model: overrideMethods(model, { doEmbed }) });
    },
    reranker(name) {
      const reranker = models.reranker(name);
      const { model, tokenizer } = reranker;
      const doRerank: typeof model.doRerank = async (options) => {
        const { query, documents } = options;
        // The query is read again with every document.
        const pairs = () => documents.values.map((document) => [query, document]);
        const maxTokens = () => maxTokensOf(JSON.stringify(pairs()), tokenizer);
        const hold = await spending.reserve({ kind: "reranker", model: name, maxTokens });
        const tokensOf = (reply: Parameters<typeof rerankedTokens>[0]) =>
          inputOf(rerankedTokens(reply));
        return await settle(hold, model.doRerank(options), tokensOf);
      };
      return Object.assign(reranker, { model: overrideMethods(model, { doRerank }) });
    },
    imageReader: (name) => meteredReader(models.imageReader(name), spending),
  };
  originals.set(metered, models);
  return metered;
}

function meteredReader(reader: ImageReader, spending: Spending): ImageReader {
  const { name: model, maxOutputTokens = MOST_OUTPUT } = reader;
  const maxTokens = () => ({ input: PICTURE_INPUT, output: maxOutputTokens });
  const readPicture: typeof reader.read = async (picture, signal) => {
    const hold = await spending.reserve({ kind: "image", model, maxTokens });
    // A provider that counts no tokens reports 0.
    return await settle(hold, reader.read(picture, signal), ({ inputTokens, outputTokens }) =>
      inputTokens + outputTokens === 0 ? null : { input: inputTokens, output: outputTokens },
    );
  };
  return { ...reader, read: readPicture };
}

/** Services for a part of a call, which is also spent by an inference or agent. */
export function billSubject<Of extends Pick<Services, "models" | "spending">>(
  services: Of,
  subject: SpendingSubject,
): Of {
  const spending = services.spending.withSubject(subject);
  return { ...services, spending, models: meteredModels(services.models, spending) };
}

const overrideMethods = <Model extends object>(model: Model, methods: Partial<Model>): Model =>
  Object.assign(Object.create(model), methods);

/** A call that was refused costs nothing; of another failure nobody knows. */
export function tokensOfFailure(thrown: unknown): ModelTokens | null {
  const cause = thrown instanceof QuarryError ? (thrown.cause ?? thrown) : thrown;
  return isRefusal(cause) || cause instanceof SpendingReached ? NO_TOKENS : null;
}

const TIMED_OUT = 408;
const SERVER_ERROR = 500;

/** Some servers refuse by another status: while they load a model, or where a text is too long. */
const isRefusal = (thrown: unknown) =>
  thrown instanceof ModelFailure &&
  (thrown.isLoading ||
    thrown.tooLong !== null ||
    (thrown.status !== null && thrown.status < SERVER_ERROR && thrown.status !== TIMED_OUT));

/** Without `tokensOf`, only a failure is settled here. */
async function settle<Result>(
  hold: Reservation,
  call: PromiseLike<Result>,
  tokensOf?: (result: Result) => ModelTokens | null,
): Promise<Result> {
  try {
    const result = await call;
    if (tokensOf !== undefined) hold.settle(tokensOf(result));
    return result;
  } catch (thrown) {
    hold.settle(tokensOfFailure(thrown));
    throw thrown;
  }
}

/** Settles with the first that comes: the usage, an error, or the end. */
function meteredStream(hold: Reservation): TransformStream<StreamPart, StreamPart> {
  let hasBegun = false;
  const end = () => hold.settle(null);
  return new TransformStream({
    transform(part, controller) {
      if (part.type === "finish") hold.settle(tokensIn(part.usage));
      if (part.type === "error") hold.settle(hasBegun ? null : tokensOfFailure(part.error));
      hasBegun ||= part.type.endsWith("-delta");
      controller.enqueue(part);
    },
    flush: end,
    cancel: end,
  });
}

function tokensIn({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelTokens | null {
  const [input, output] = [inputTokens.total, outputTokens.total];
  return input === undefined || output === undefined ? null : { input, output };
}

/** Some servers report 0. */
const inputOf = (tokens: number | null | undefined) =>
  tokens ? { input: tokens, output: 0 } : null;

/** Everything that the provider reads, but for the bytes of images. */
const textOf = ({ prompt, tools, responseFormat }: LanguageModelV4CallOptions): string =>
  JSON.stringify([prompt, tools, responseFormat], (_name, value: unknown) =>
    value instanceof Uint8Array ? undefined : value,
  );
