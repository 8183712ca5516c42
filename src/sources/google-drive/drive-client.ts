import type { z } from "zod";

import { MINUTE_MS, type Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { guardedFetch, readBytes, type GuardedResponse, type Outgoing } from "../guarded-fetch.ts";
import type { AccessTokens } from "../access-tokens.ts";
import { driveError, driveFailure, type DriveError } from "./drive-failure.ts";

/*
 * https://developers.google.com/workspace/drive/api/reference/rest/v3
 */
const API_BASE_URL = "https://www.googleapis.com";
/** 1,000 files with long names, owners and labels. */
const ANSWER_LIMIT_BYTES = 8 * 1_024 * 1_024;
const DOWNLOAD_TIMEOUT_MS = 2 * MINUTE_MS;

export type DriveClientOptions = {
  outgoing: Outgoing;
  now: Now;
  tokens: AccessTokens;
  apiBaseUrl: string | undefined;
  /** What to do when Drive refuses and gives no other reason. */
  remedy: string;
};

type Call = {
  path: string;
  query: Query;
  signal: AbortSignal;
  timeoutMs?: number;
  /** Sent as JSON with POST. */
  body?: Record<string, unknown>;
};
type Query = Record<string, string | number | boolean | undefined>;
export type Asked<Answer> = { answer: Answer } | { error: DriveError };

/** Calls of Drive v3 with an access token; one that is refused is asked for anew, once. */
export class DriveClient {
  readonly #options: DriveClientOptions;

  constructor(options: DriveClientOptions) {
    this.#options = options;
  }

  /** @throws SourceFailure for whatever is no success */
  async get<Answer>(
    schema: z.ZodType<Answer>,
    path: string,
    query: Query,
    signal: AbortSignal,
  ): Promise<Answer> {
    const asked = await this.ask(schema, path, query, signal);
    if ("answer" in asked) return asked.answer;
    throw this.failure(asked.error);
  }

  /** As `get`; what Drive answers with an error is returned. */
  async ask<Answer>(
    schema: z.ZodType<Answer>,
    path: string,
    query: Query,
    signal: AbortSignal,
  ): Promise<Asked<Answer>> {
    return await this.#answerOf(schema, { path, query, signal });
  }

  /** As `ask`, with a JSON body. An empty answer reads as null. */
  async post<Answer>(
    schema: z.ZodType<Answer>,
    call: { path: string; query: Query; body: Record<string, unknown> },
    signal: AbortSignal,
  ): Promise<Asked<Answer>> {
    return await this.#answerOf(schema, { ...call, signal });
  }

  async #answerOf<Answer>(schema: z.ZodType<Answer>, call: Call): Promise<Asked<Answer>> {
    const { signal } = call;
    const got = await this.#fetch(call);
    if (!got.response.ok) return { error: await driveError(got, this.#options.now()) };
    const bytes = await readBytes(got, { callers: signal, limitBytes: ANSWER_LIMIT_BYTES });
    return { answer: parsedAs(schema, new TextDecoder().decode(bytes)) };
  }

  /** The bytes of a file; the body is still to be read. */
  async download(
    path: string,
    query: Query,
    signal: AbortSignal,
  ): Promise<{ got: GuardedResponse } | { error: DriveError }> {
    const got = await this.#fetch({ path, query, signal, timeoutMs: DOWNLOAD_TIMEOUT_MS });
    return got.response.ok ? { got } : { error: await driveError(got, this.#options.now()) };
  }

  failure(error: DriveError): SourceFailure {
    return driveFailure(error, this.#options.remedy);
  }

  async #fetch(call: Call): Promise<GuardedResponse> {
    const { tokens } = this.#options;
    const first = await this.#fetchOnce(call);
    if (first.response.status !== 401) return first;
    await first.response.body?.cancel();
    tokens.renew();
    return await this.#fetchOnce(call);
  }

  async #fetchOnce({ path, query, signal, timeoutMs, body }: Call) {
    const { outgoing, tokens, apiBaseUrl = API_BASE_URL } = this.#options;
    const url = new URL(`${apiBaseUrl.replace(/\/$/, "")}/drive/v3/${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const authorization = `Bearer ${await tokens.get(signal)}`;
    const sent =
      body === undefined
        ? { headers: { authorization } }
        : {
            post: { body: JSON.stringify(body) },
            headers: { authorization, "content-type": "application/json" },
          };
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    // A token is for one host: a redirect is reported, not followed.
    return await guardedFetch(outgoing, url.href, { ...sent, signal, maxRedirects: 0, ...limit });
  }
}

function parsedAs<Answer>(schema: z.ZodType<Answer>, text: string): Answer {
  try {
    return schema.parse(text === "" ? null : JSON.parse(text));
  } catch {
    throw new SourceFailure("down", "Google Drive: an answer that is not understood");
  }
}
