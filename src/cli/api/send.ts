import { setTimeout as pause } from "node:timers/promises";

import type { z } from "zod";

import { CommandFailure } from "../failure.ts";

/** A server and what opens it. `credential` names what to look at when it is refused. */
export type ApiTarget = {
  baseUrl: string;
  headers: Record<string, string>;
  credential: string;
};

export type ApiRequest = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its leading slash. */
  path: string;
  json?: unknown;
  bytes?: { data: Uint8Array<ArrayBuffer>; contentType: string };
  /** What the address names, for a readable 404: `RAG sample`. */
  what?: string;
};

/** The server answered, and not with success. */
export class ApiError extends CommandFailure {
  override readonly name = "ApiError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const TRIES = 7;
const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 60_000;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/**
 * One request. What can be repeated without harm (all but POST) is tried again on 429, 5xx and a
 * lost connection; POST on 429 only.
 * @throws ApiError for an answer that is no success; CommandFailure when nothing answers.
 */
export async function send(target: ApiTarget, request: ApiRequest): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendOnce(target, request, attempt);
    if (outcome instanceof Response && outcome.ok) return outcome;
    if (attempt === TRIES || !mayRepeat(outcome, request)) {
      if (outcome instanceof Response) throw await errorOf(target, request, outcome);
      throw outcome;
    }
    await pause(waitBefore(outcome, attempt));
  }
}

/** The answer's JSON, checked. */
export async function sendForJson<Schema extends z.ZodType>(
  target: ApiTarget,
  request: ApiRequest,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const response = await send(target, request);
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  const where = `${request.method ?? "GET"} ${request.path}`;
  throw new CommandFailure(`${target.baseUrl} answered ${where} with something else than Quarry`);
}

async function sendOnce(
  target: ApiTarget,
  { method = "GET", path, json, bytes }: ApiRequest,
  attempt: number,
): Promise<Response | CommandFailure> {
  const headers: Record<string, string> = { Accept: "application/json", ...target.headers };
  if (json !== undefined) headers["Content-Type"] = "application/json";
  if (bytes !== undefined) headers["Content-Type"] = bytes.contentType;
  const body = bytes?.data ?? (json === undefined ? null : JSON.stringify(json));
  try {
    return await fetch(target.baseUrl + path, { method, headers, body, redirect: "error" });
  } catch (thrown) {
    const failure = new CommandFailure(unreachable(target.baseUrl, thrown, attempt));
    failure.cause = thrown;
    return failure;
  }
}

/** A server that never answered is told at once; one that was there may be coming back. */
function mayRepeat(outcome: Response | CommandFailure, { method = "GET" }: ApiRequest): boolean {
  if (!(outcome instanceof Response)) return method === "PUT" || method === "DELETE";
  if (outcome.status === TOO_MANY_REQUESTS) return true;
  return outcome.status >= SERVER_ERROR && method !== "POST";
}

function waitBefore(outcome: Response | CommandFailure, attempt: number): number {
  const asked = outcome instanceof Response ? Number(outcome.headers.get("Retry-After")) : NaN;
  const MS_A_SECOND = 1_000;
  const wait = asked > 0 ? asked * MS_A_SECOND : FIRST_WAIT_MS * 2 ** (attempt - 1);
  return Math.min(wait, LONGEST_WAIT_MS);
}

function unreachable(baseUrl: string, thrown: unknown, attempt: number): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(thrown);
  const reason = code === "ECONNREFUSED" ? "nothing listens there" : code;
  const tries = attempt > 1 ? ` after ${attempt} tries` : "";
  return `Cannot reach ${baseUrl} (${reason})${tries}. Is the server running? Start one with npm start.`;
}

async function errorOf(
  target: ApiTarget,
  { method = "GET", path, what }: ApiRequest,
  response: Response,
): Promise<ApiError> {
  const { status } = response;
  const body = (await response.json().catch(() => null)) as { error?: unknown } | null;
  const said = typeof body?.error === "string" ? body.error : response.statusText;
  return new ApiError(status, explain(status, said, target, what ?? `${method} ${path}`));
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
