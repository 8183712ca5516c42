import { SECOND_MS } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { fixedToken } from "../access-tokens.ts";
import { ApiClient, withoutSlash, type ApiError } from "../api-client.ts";
import type { SourceTools } from "../source-manifest.ts";
import type { NotionConfig } from "./manifest.ts";
import { textIn } from "./notion-objects.ts";

/** The newest that Notion's client knows: https://developers.notion.com/reference/versioning */
const VERSION = "2026-03-11";
/** 100 pages with a hundred properties of 2,000 characters. */
const ANSWER_LIMIT_BYTES = 24 * 1_024 * 1_024;
/** Three calls a second: https://developers.notion.com/reference/request-limits */
const CALL_MS = SECOND_MS / 3;

export type NotionOptions = Pick<SourceTools, "outgoing" | "store" | "known" | "now">;
export type NotionTools = ReturnType<typeof notionTools>;

/** A client that counts its calls and makes one after the other. */
export function notionTools(config: NotionConfig, options: NotionOptions, signal: AbortSignal) {
  const { outgoing, now } = options;
  const calls = { count: 0, nextAt: 0, began: now() };
  const fetch: typeof outgoing.fetch = async (address, request) => {
    calls.count += 1;
    const waitMs = Math.max(0, calls.nextAt - now());
    calls.nextAt = now() + waitMs + CALL_MS;
    if (waitMs > 0) await scheduler.wait(waitMs, { signal });
    return await outgoing.fetch(address, request);
  };
  const provider = {
    name: "Notion",
    baseUrl: `${withoutSlash(config.apiBaseUrl)}/v1`,
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    headers: { "notion-version": VERSION },
    codeIn: (body: unknown) => /^\w{1,64}$/.exec(textIn(body, "code"))?.[0] ?? "",
    // https://developers.notion.com/reference/status-codes
    isThrottle: ({ status }: ApiError) => status === 529,
    remedyFor: ({ status }: ApiError) => (status === 401 || status === 403 ? REMEDY : undefined),
  };
  const connection = { outgoing: { ...outgoing, fetch }, now, tokens: fixedToken(config.token) };
  return { config, options, calls, api: new ApiClient(provider, connection, signal) };
}

const REMEDY = "enter the connection's token, and allow it to read content";
export const denied = (message: string) => new SourceFailure("denied", `Notion: ${message}`);
