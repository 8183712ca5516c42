import type { z } from "zod";

import { MINUTE_MS, type Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { AccessTokens } from "../access-tokens.ts";
import { guardedFetch, readBytes, type GuardedResponse, type Outgoing } from "../guarded-fetch.ts";
import { graphError, graphFailure, type GraphError } from "./graph-failure.ts";

/*
 * https://learn.microsoft.com/graph/use-the-api
 */
export const API_BASE_URL = "https://graph.microsoft.com";
/** 500 items with long names and addresses. */
const ANSWER_LIMIT_BYTES = 16 * 1_024 * 1_024;
const DOWNLOAD_TIMEOUT_MS = 2 * MINUTE_MS;
/** SharePoint asks for this form, and throttles undecorated traffic first. */
const USER_AGENT = "NONISV|Quarry|Quarry/1.0";

export type GraphClientOptions = {
  outgoing: Outgoing;
  now: Now;
  tokens: AccessTokens;
  /** Without a trailing slash. */
  apiBaseUrl: string;
  /** What to do when Graph refuses access. */
  remedy: string;
};

type Query = Record<string, string | number | undefined>;
/** Posted as JSON unless told otherwise. */
type Sent = { method?: "PATCH" | "DELETE"; body?: unknown };
export type Asked<Answer> = { answer: Answer } | { error: GraphError };

/** Calls of Graph v1.0 with an access token; one that is refused is asked for anew, once. */
export class GraphClient {
  readonly #options: GraphClientOptions;

  constructor(options: GraphClientOptions) {
    this.#options = options;
  }

  /** @throws SourceFailure for whatever is no success */
  async get<Answer>(
    schema: z.ZodType<Answer>,
    path: string,
    query: Query,
    signal: AbortSignal,
  ): Promise<Answer> {
    const asked = await this.ask(schema, this.address(path, query), signal);
    if ("answer" in asked) return asked.answer;
    throw this.failure(asked.error);
  }

  /**
   * What an address of Graph answers, such as the link to a next page; errors are returned.
   */
  async ask<Answer>(
    schema: z.ZodType<Answer>,
    address: string,
    signal: AbortSignal,
    sent?: Sent,
  ): Promise<Asked<Answer>> {
    const got = await this.#fetch(address, signal, sent);
    if (!got.response.ok) return { error: await graphError(got, this.#options.now()) };
    const bytes = await readBytes(got, { callers: signal, limitBytes: ANSWER_LIMIT_BYTES });
    return { answer: parsedAs(schema, new TextDecoder().decode(bytes)) };
  }

  address(path: string, query: Query = {}): string {
    const url = new URL(`${this.#options.apiBaseUrl}/v1.0/${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url.href;
  }

  /** The bytes of a pre-authenticated address, which must not be sent our token. */
  async download(
    address: string,
    signal: AbortSignal,
  ): Promise<{ got: GuardedResponse } | { error: GraphError }> {
    const { outgoing, now } = this.#options;
    const headers = { "user-agent": USER_AGENT };
    const request = { headers, signal, timeoutMs: DOWNLOAD_TIMEOUT_MS };
    const got = await guardedFetch(outgoing, address, request);
    return got.response.ok ? { got } : { error: await graphError(got, now()) };
  }

  failure(error: GraphError): SourceFailure {
    return graphFailure(error, this.#options.remedy);
  }

  async #fetch(address: string, signal: AbortSignal, sent?: Sent): Promise<GuardedResponse> {
    const first = await this.#fetchOnce(address, signal, sent);
    if (first.response.status !== 401) return first;
    await first.response.body?.cancel();
    this.#options.tokens.renew();
    return await this.#fetchOnce(address, signal, sent);
  }

  async #fetchOnce(address: string, signal: AbortSignal, sent?: Sent) {
    const { outgoing, tokens, apiBaseUrl } = this.#options;
    // Links come from answers: the token goes to Graph only.
    if (!address.startsWith(`${apiBaseUrl}/`)) {
      throw new SourceFailure("down", "SharePoint: a link that leads elsewhere");
    }
    const headers = {
      authorization: `Bearer ${await tokens.get(signal)}`,
      "user-agent": USER_AGENT,
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
    };
    const post = sent === undefined ? {} : { post: jsonOf(sent) };
    return await guardedFetch(outgoing, address, { ...post, headers, signal, maxRedirects: 0 });
  }
}

const jsonOf = ({ method, body }: Sent) => ({
  body: body === undefined ? "" : JSON.stringify(body),
  ...(method === undefined ? {} : { method }),
});

function parsedAs<Answer>(schema: z.ZodType<Answer>, text: string): Answer {
  try {
    return schema.parse(text === "" ? null : JSON.parse(text));
  } catch {
    throw new SourceFailure("down", "SharePoint: an answer that is not understood");
  }
}
