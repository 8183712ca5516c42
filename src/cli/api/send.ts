import { setTimeout as pause } from "node:timers/promises";

import { z } from "zod";

import { CommandFailure } from "../failure.ts";
import { START_COMMAND } from "../installation.ts";
import { readEvents } from "./read-events.ts";
import type { ServerEvent } from "./read-events.ts";

/** A server and its credential. `credential` tells the user what to check when it is refused. */
export type ApiTarget = {
  baseUrl: string;
  headers: Record<string, string>;
  credential: string;
  /** Told of waits that a person notices; standard error unless given. */
  tell?: (line: string) => void;
};

export type ApiRequest = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its leading slash. */
  path: string;
  json?: unknown;
  bytes?: { data: Uint8Array<ArrayBuffer>; contentType: string };
  /** Changes nothing when it is repeated: it is retried as an upload is. */
  mayRepeat?: true;
  /** What the address refers to, for a readable 404: `RAG sample`. */
  what?: string;
  /** Asks for server-sent events and receives them; the answer is the data of `result`. */
  onEvent?: (event: ServerEvent) => void;
};

/** A complete answer. `body` is undefined when it is not JSON. */
export type Answer = { status: number; headers: Headers; body: unknown };

/** The server answered with an error status. */
export class ApiError extends CommandFailure {
  override readonly name = "ApiError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Nothing answered: it may later. */
export class Unreachable extends CommandFailure {
  override readonly name = "Unreachable";
}

const errorText = z.looseObject({ error: z.string() });
const TRIES = 7;
const FIRST_WAIT_MS = 300;
const MAX_WAIT_MS = 60_000;
const FIRST_FAILURE = 400;
const MS_A_SECOND = 1_000;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/**
 * One request. Uploads and removals are retried on 429, 5xx and a lost connection, GET and PATCH
 * on 429 and 5xx, any other POST on 429 only.
 * @throws ApiError for an error status; CommandFailure when nothing answers.
 */
export async function send(target: ApiTarget, request: ApiRequest): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendOnce(target, request, attempt);
    const answered = !(outcome instanceof CommandFailure);
    if (answered && outcome.status < FIRST_FAILURE) return outcome;
    if (attempt === TRIES || !mayRepeat(outcome, request)) {
      throw answered ? errorOf(target, request, outcome) : outcome;
    }
    const waitMs = waitBefore(outcome, attempt);
    if (answered && outcome.status === TOO_MANY_REQUESTS) sayWait(target, waitMs);
    await pause(waitMs);
  }
}

/** The answer's JSON, checked. */
export async function sendForJson<Schema extends z.ZodType>(
  target: ApiTarget,
  request: ApiRequest,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const { body } = await send(target, request);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const where = `${request.method ?? "GET"} ${request.path}`;
  throw new CommandFailure(`${target.baseUrl} answered ${where} like another program than Quarry`);
}

/** A connection that breaks during the answer counts as a failed connection. */
async function sendOnce(
  target: ApiTarget,
  request: ApiRequest,
  attempt: number,
): Promise<Answer | CommandFailure> {
  const { method = "GET", path, json, bytes } = request;
  const accepted = request.onEvent === undefined ? "application/json" : "text/event-stream";
  const headers: Record<string, string> = { Accept: accepted, ...target.headers };
  if (json !== undefined) headers["Content-Type"] = "application/json";
  if (bytes !== undefined) headers["Content-Type"] = bytes.contentType;
  const sent = bytes?.data ?? (json === undefined ? null : JSON.stringify(json));
  try {
    const init = { method, headers, body: sent, redirect: "error" } as const;
    const response = await fetch(target.baseUrl + path, init);
    const body = await bodyOf(response, request);
    if (body instanceof CommandFailure) return body;
    return { status: response.status, headers: response.headers, body };
  } catch (thrown) {
    const failure = new Unreachable(unreachable(target.baseUrl, thrown, attempt));
    failure.cause = thrown;
    return failure;
  }
}

/** The JSON of an answer; where it is streamed, of its last event. */
async function bodyOf(response: Response, { path, what, onEvent }: ApiRequest): Promise<unknown> {
  const type = response.headers.get("Content-Type") ?? "";
  if (response.body === null || !type.startsWith("text/event-stream")) {
    return parsedOrUndefined(await response.text());
  }
  for await (const event of readEvents(response.body)) {
    if (event.name === "result") return event.data;
    const failed = event.name === "error" ? errorText.safeParse(event.data) : null;
    if (failed?.success === true) {
      return new CommandFailure(`${what ?? path}: ${failed.data.error}.`);
    }
    onEvent?.(event);
  }
  return new CommandFailure(`${what ?? path}: the answer broke off.`);
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A server that never answered is reported at once; one that has answered before may recover. */
function mayRepeat(outcome: Answer | CommandFailure, request: ApiRequest): boolean {
  const { method = "GET", mayRepeat: isRepeatable = false } = request;
  if (outcome instanceof CommandFailure) {
    return isRepeatable || method === "PUT" || method === "DELETE";
  }
  if (outcome.status === TOO_MANY_REQUESTS) return true;
  return outcome.status >= SERVER_ERROR && (isRepeatable || method !== "POST");
}

function waitBefore(outcome: Answer | CommandFailure, attempt: number): number {
  const answered = !(outcome instanceof CommandFailure);
  const asked = answered ? Number(outcome.headers.get("Retry-After")) : 0;
  const wait = asked > 0 ? asked * MS_A_SECOND : FIRST_WAIT_MS * 2 ** (attempt - 1);
  return Math.min(wait, MAX_WAIT_MS);
}

/** When the wait that was said last ends, so that calls side by side say it once. */
const saidUntil = new WeakMap<ApiTarget, number>();

function sayWait(target: ApiTarget, waitMs: number): void {
  const now = Date.now();
  if (waitMs < MS_A_SECOND || now < (saidUntil.get(target) ?? 0)) return;
  saidUntil.set(target, now + waitMs);
  const { baseUrl, tell = (line) => void process.stderr.write(`${line}\n`) } = target;
  const seconds = Math.ceil(waitMs / MS_A_SECOND);
  tell(`${baseUrl} takes no more calls for now (rate limit); going on in ${seconds} s.`);
}

function unreachable(baseUrl: string, thrown: unknown, attempt: number): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const said = cause instanceof Error ? cause.message : String(thrown);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : said;
  const reason = code === "ECONNREFUSED" ? "nothing listens there" : code;
  const tries = attempt > 1 ? ` after ${attempt} tries` : "";
  return `Cannot reach ${baseUrl} (${reason})${tries}. Is the server running? Start one with ${START_COMMAND}.`;
}

function errorOf(
  target: ApiTarget,
  { method = "GET", path, what }: ApiRequest,
  { status, body }: Answer,
): ApiError {
  const said = errorText.safeParse(body);
  const words = said.success ? said.data.error : "no reason given";
  return new ApiError(status, explain(status, words, target, what ?? `${method} ${path}`));
}

function explain(status: number, said: string, target: ApiTarget, what: string): string {
  switch (status) {
    case 401:
      return `${target.baseUrl} refused the credentials (401 Unauthorized). Check ${target.credential}.`;
    case 403:
      return `${target.credential} does not cover this: ${what} (403 Forbidden).`;
    case 404:
      return `There is no ${what} at ${target.baseUrl} (404 Not found).`;
    default:
      return `${what}: ${said} (${status}).`;
  }
}
