import {
  completion,
  completionEvents,
  refusal,
  sayByDefault,
  sayInFailure,
} from "./chat-answer.ts";
import type { ChatBody, Said } from "./chat-answer.ts";
import { failingAnswer, type Failure } from "./failures.ts";

export type Place = "chat" | "embeddings" | "rerank";

export type Request = { place: Place; url: string; headers: Headers; body: unknown };

export type Options = {
  /** Every call must bear it. */
  apiKey?: string;
  /** Models that `/models` lists. */
  models?: string[];
  embed?: (text: string) => number[];
  /** Relevance of a document; by default the share of the query's words that it holds. */
  relevance?: (query: string, document: string) => number;
  textsPerCall?: number;
  /** Answers embeddings in another order, each with its index. */
  shuffles?: boolean;
  documentsPerCall?: number;
  /** `tei`: its own reply to `/rerank`. */
  rerankForm?: "jina" | "tei";
};

const PLACES: Record<string, Place> = {
  "/chat/completions": "chat",
  "/embeddings": "embeddings",
  "/rerank": "rerank",
};

/**
 * An OpenAI-compatible server (chat with tools and `response_format`, embeddings, rerank) as a
 * `fetch`, with batch limits, which can be told to fail. `serve.ts` puts it on a port.
 */
export class OpenAiDouble {
  readonly requests: Request[] = [];
  /** Makes the model's answer; `sayByDefault` unless a test sets another. */
  script: (body: ChatBody) => Said = sayByDefault;
  /** The body of a 400 to a chat request that the model refuses; null: it takes the request. */
  refuse: (body: ChatBody) => object | null = () => null;
  /** How a streamed answer is sent; by default each event as soon as it is asked for. */
  send: (events: string[]) => ReadableStream<Uint8Array> = sendAll;
  /** Tokens that `/rerank` reports; null: it reports none. */
  rerankTokens: number | null = null;
  readonly #options: Options;
  readonly #failures = new Map<Place, { failure: Failure; times: number }>();

  constructor(options: Options = {}) {
    this.#options = options;
  }

  /** Fails the next `times` calls of a place; for ever when not said. */
  fail(place: Place, failure: Failure, times = Number.POSITIVE_INFINITY): void {
    this.#failures.set(place, { failure, times });
  }

  calls(place: Place): Request[] {
    return this.requests.filter((request) => request.place === place);
  }

  readonly fetch = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const url = input instanceof globalThis.Request ? input.url : String(input);
    const place = Object.entries(PLACES).find(([path]) => url.endsWith(path))?.[1];
    const headers = new Headers(init?.headers);
    if (place === undefined) return Promise.resolve(this.#elsewhere(url, headers));
    const payload = init?.body;
    const text = payload instanceof Uint8Array ? new TextDecoder().decode(payload) : payload;
    const body = JSON.parse(typeof text === "string" ? text : "{}") as unknown;
    this.requests.push({ place, url, headers, body });
    if (!this.#isAllowed(headers)) return Promise.resolve(badKey());
    const failure = this.#nextFailure(place);
    const failing = failure === null ? null : failingAnswer(failure, init?.signal);
    return failing ?? Promise.resolve(this.#answer(place, body, failure));
  };

  #elsewhere(url: string, headers: Headers): Response {
    if (!url.endsWith("/models")) return new Response(null, { status: 404 });
    if (!this.#isAllowed(headers)) return badKey();
    const data = (this.#options.models ?? []).map((id) => ({ id, object: "model" }));
    return Response.json({ object: "list", data });
  }

  #isAllowed(headers: Headers): boolean {
    const { apiKey } = this.#options;
    return apiKey === undefined || headers.get("authorization") === `Bearer ${apiKey}`;
  }

  #nextFailure(place: Place): Failure | null {
    const planned = this.#failures.get(place);
    if (planned === undefined || planned.times <= 0) return null;
    planned.times -= 1;
    return planned.failure;
  }

  #answer(place: Place, body: unknown, failure: Failure | null): Response {
    switch (place) {
      case "chat": {
        const chat = body as ChatBody;
        const refusalBody = this.refuse(chat);
        if (refusalBody !== null) return Response.json(refusalBody, { status: 400 });
        if (failure?.kind === "refusal") return Response.json(refusal(chat.model));
        const failureReply = failure === null ? null : sayInFailure(failure);
        const answered = failureReply ?? this.script(chat);
        if (chat.stream !== true) return Response.json(completion(chat.model, answered));
        return new Response(this.send(completionEvents(chat, answered)), {
          headers: { "content-type": "text/event-stream" },
        });
      }
      case "embeddings":
        return this.#embeddings(body as { input: string[] });
      default:
        return this.#ranking(body as { query: string; documents: string[] });
    }
  }

  #embeddings({ input }: { input: string[] }): Response {
    const { textsPerCall = Number.POSITIVE_INFINITY, embed = () => [1, 0] } = this.#options;
    if (input.length > textsPerCall) return tooMany(textsPerCall);
    const data = input.map((text, index) => ({ index, embedding: embed(text) }));
    if (this.#options.shuffles === true) data.reverse();
    return Response.json({ object: "list", data, usage: { prompt_tokens: 3, total_tokens: 3 } });
  }

  #ranking({ query, documents }: { query: string; documents: string[] }): Response {
    const { documentsPerCall = Number.POSITIVE_INFINITY, rerankForm = "jina" } = this.#options;
    if (documents.length > documentsPerCall) return tooMany(documentsPerCall);
    const relevance = this.#options.relevance ?? sharedWords;
    const results = documents
      .map((document, index) => ({ index, score: relevance(query, document) }))
      .sort((a, b) => b.score - a.score);
    if (rerankForm === "tei") return Response.json(results);
    return Response.json({
      results: results.map(({ index, score }) => ({ index, relevance_score: score })),
      ...(this.rerankTokens === null ? {} : { usage: { total_tokens: this.rerankTokens } }),
    });
  }
}

export function sendAll(events: string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = events.values();
  return new ReadableStream(
    {
      pull(controller) {
        const { done, value } = iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    },
    { highWaterMark: 0 },
  );
}

const badKey = () => Response.json({ error: { message: "bad key" } }, { status: 401 });

const tooMany = (limit: number) =>
  Response.json({ error: { message: `at most ${limit} inputs` } }, { status: 413 });

function sharedWords(query: string, document: string): number {
  const words = query.toLowerCase().split(/\W+/).filter(Boolean);
  const text = document.toLowerCase();
  return words.filter((word) => text.includes(word)).length / Math.max(1, words.length);
}
