import type { WorkersAi } from "../../../src/adapters/cloudflare/workers-ai-failures.ts";
import { sayByDefault, sayInFailure } from "../openai-compatible/chat-answer.ts";
import type { ChatBody, Said } from "../openai-compatible/chat-answer.ts";
import { SECRET_BODY, type Failure } from "../openai-compatible/failures.ts";

/** Limits of the real service: texts a call of bge-m3, contexts a call of bge-reranker-base. */
const TEXTS_PER_CALL = 100;
const CONTEXTS_PER_CALL = 100;

export type WorkersAiCall = { model: string; inputs: Record<string, unknown>; options: unknown };

type Place = "chat" | "embeddings" | "rerank" | "markdown";

const placeOf = (model: string): Place =>
  model.includes("reranker") ? "rerank" : model.includes("bge-") ? "embeddings" : "chat";

/** The `AI` binding with its replies, its batch limits and its errors. */
export class WorkersAiDouble implements WorkersAi {
  readonly calls: WorkersAiCall[] = [];
  /** The most calls that were under way at one time. */
  maxAtOnce = 0;
  #underWay = 0;
  script: (body: ChatBody) => Said = sayByDefault;
  /** Some models answer whole although a stream is asked for. */
  streams = true;
  readonly #embed: (text: string) => number[];
  readonly #failures = new Map<Place, { failure: Failure; times: number }>();

  constructor(options: { embed?: (text: string) => number[] } = {}) {
    this.#embed = options.embed ?? (() => [1, 0]);
  }

  fail(place: Place, failure: Failure, times = Number.POSITIVE_INFINITY): void {
    this.#failures.set(place, { failure, times });
  }

  async run(
    model: string,
    inputs: Record<string, unknown>,
    options: { signal?: AbortSignal },
  ): Promise<unknown> {
    this.calls.push({ model, inputs, options });
    this.#underWay += 1;
    this.maxAtOnce = Math.max(this.maxAtOnce, this.#underWay);
    try {
      return await this.#reply(model, inputs, options);
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Texts by the name of a picture; one that is not named cannot be read. */
  readonly documents = new Map<string, string>();
  readonly conversions: { name: string; options: ConversionRequestOptions | undefined }[] = [];

  /** The description of a picture below its name, as the service answers. */
  async toMarkdown({ name }: { name: string }, options?: ConversionRequestOptions) {
    this.conversions.push({ name, options });
    const planned = this.#failures.get("markdown");
    if (planned !== undefined && planned.times-- > 0) throw aiError(3040);
    const text = this.documents.get(name);
    const facts = { id: "1", name, mimeType: "image/png" };
    if (text === undefined) return { ...facts, format: "error" as const, error: "not a picture" };
    return { ...facts, format: "markdown" as const, tokens: 1, data: `# ${name}\n\n${text}` };
  }

  #reply(
    model: string,
    inputs: Record<string, unknown>,
    options: { signal?: AbortSignal },
  ): Promise<unknown> {
    const place = placeOf(model);
    const planned = this.#failures.get(place);
    const failing = planned !== undefined && planned.times > 0 ? planned.failure : null;
    if (planned !== undefined) planned.times -= 1;
    const broken = failing === null ? null : this.#broken(failing, options.signal);
    return broken ?? this.#answer(place, model, inputs, failing);
  }

  #broken(failure: Failure, signal: AbortSignal | undefined): Promise<unknown> | null {
    switch (failure.kind) {
      case "status":
        return Promise.reject(aiError(failure.status === 429 ? 3040 : failure.status));
      case "hang":
      case "drip":
        return new Promise((_resolve, reject) => {
          const stop = () => reject(new DOMException("aborted", "AbortError"));
          signal?.addEventListener("abort", stop, { once: true });
        });
      case "cut":
      case "refused":
        return Promise.reject(aiError(500));
      case "malformed":
      case "wrong-form":
      case "empty-choices":
        return Promise.resolve({ unexpected: SECRET_BODY });
      default:
        return null;
    }
  }

  async #answer(
    place: Place,
    model: string,
    inputs: Record<string, unknown>,
    failure: Failure | null,
  ): Promise<unknown> {
    if (place === "embeddings") return this.#embeddings(inputs);
    if (place === "rerank") return ranking(inputs);
    // https://developers.cloudflare.com/workers-ai/models/gpt-oss-120b/
    if (JSON.stringify(inputs["messages"] ?? []).includes('"content":null')) throw aiError(5006);
    if (failure?.kind === "refusal") return { response: "", usage: USAGE };
    const failureReply = failure === null ? null : sayInFailure(failure);
    const reply = failureReply ?? this.script({ ...inputs, model } as unknown as ChatBody);
    if (inputs["stream"] === true && this.streams) return eventsOf(reply);
    if ("text" in reply) return { response: reply.text, usage: USAGE };
    const tool_calls = reply.calls.map((call) => ({
      name: call.name,
      arguments: parsed(call.arguments),
    }));
    return { response: null, tool_calls, usage: USAGE };
  }

  #embeddings(inputs: Record<string, unknown>): unknown {
    const texts = inputs["text"] as string[];
    if (texts.length > TEXTS_PER_CALL) throw aiError(5006);
    if (inputs["truncate_inputs"] !== true) throw aiError(3030);
    return { shape: [texts.length, 2], data: texts.map(this.#embed), pooling: "cls" };
  }
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** The older models' events: a word each, calls whole, and no reason for the end. */
function eventsOf(reply: Said): ReadableStream<Uint8Array> {
  const parts =
    "text" in reply
      ? (reply.text.match(/\s*\S+/g) ?? []).map((response) => ({ response, p: "abc" }))
      : reply.calls.map((call) => ({
          response: null,
          tool_calls: [{ name: call.name, arguments: parsed(call.arguments) }],
        }));
  const events = [...parts, { response: "", usage: USAGE }].map((part) => JSON.stringify(part));
  return new Blob([...events, "[DONE]"].map((event) => `data: ${event}\n\n`)).stream();
}

/** The older models give arguments as objects; what is no JSON stays a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function ranking(inputs: Record<string, unknown>): unknown {
  const contexts = inputs["contexts"] as { text: string }[];
  if (contexts.length > CONTEXTS_PER_CALL) throw aiError(5006);
  const query = String(inputs["query"]).toLowerCase();
  const words = query.split(/\W+/).filter(Boolean);
  const response = contexts.map(({ text }, id) => ({
    id,
    score: words.filter((word) => text.toLowerCase().includes(word)).length / words.length,
  }));
  return { response: response.sort((a, b) => b.score - a.score) };
}

function aiError(code: number): Error {
  const error = new Error(`${code}: ${SECRET_BODY}`);
  error.name = "AiError";
  return error;
}
