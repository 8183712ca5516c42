import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";

import { messageOf } from "../../core/errors.ts";
import { codeOf, CommandFailure } from "../failure.ts";
import { START_COMMAND } from "../installation.ts";

export type ApiTarget = {
  baseUrl: string;
  /** The credential that the user has to check when it is refused. */
  credential: string;
  /** Receives waits that a person notices; standard error unless given. */
  tell?: (line: string) => void;
};

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

const TRIES = 7;
const FIRST_WAIT_MS = 300;
const MAX_WAIT_MS = 60_000;
const MS_A_SECOND = 1_000;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/**
 * The `fetch` of a client. Uploads and removals are repeated on 429, 5xx and a lost connection,
 * GET and PATCH on 429 and 5xx, any other POST on 429 only. `mayRepeat`: the call changes nothing
 * when it is repeated, and is treated as an upload is.
 * @throws ApiError for an error status; Unreachable when nothing answers
 */
export function patientFetch(target: ApiTarget, mayRepeat = false) {
  return async (request: Request): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await sendOnce(target, request.clone(), attempt);
      const response = outcome instanceof Response ? outcome : undefined;
      if (response?.ok === true) return checkResponse(target, request, response);
      if (attempt === TRIES || !isWorthRepeating(response?.status, request.method, mayRepeat)) {
        throw response === undefined ? outcome : await errorOf(target, request, response);
      }
      const waitMs = retryDelayMs(response, attempt);
      if (response !== undefined) reportWait(target, waitMs, response.status);
      await pause(waitMs);
    }
  };
}

/** A server that never answered is reported at once; one that has answered before may recover. */
function isWorthRepeating(status: number | undefined, method: string, mayRepeat: boolean) {
  const isRepeatable = mayRepeat || method === "PUT" || method === "DELETE";
  if (status === undefined) return isRepeatable;
  if (status === TOO_MANY_REQUESTS) return true;
  return status >= SERVER_ERROR && (isRepeatable || method !== "POST");
}

/** Reads the whole answer, unless it is a stream: a break in it counts as a lost connection. */
async function sendOnce(target: ApiTarget, request: Request, attempt: number) {
  try {
    const response = await fetch(request);
    if (!isStream(response)) await response.clone().arrayBuffer();
    return response;
  } catch (thrown) {
    const failure = new Unreachable(unreachableMessage(target.baseUrl, thrown, attempt));
    failure.cause = thrown;
    return failure;
  }
}

const typeOf = (response: Response) => response.headers.get("Content-Type") ?? "";
const isStream = (response: Response) =>
  /^(?:text\/event-stream|application\/zip)/.test(typeOf(response));

const NO_CONTENT = 204;

function checkResponse({ baseUrl }: ApiTarget, request: Request, response: Response): Response {
  const isJson = typeOf(response).startsWith("application/json");
  if (response.status === NO_CONTENT || isJson || isStream(response)) return response;
  const where = `${request.method} ${new URL(request.url).pathname}`;
  throw new CommandFailure(`${baseUrl} is not Quarry: it answered ${where} in an unknown form`);
}

function retryDelayMs(response: Response | undefined, attempt: number): number {
  const seconds = Number(response?.headers.get("Retry-After"));
  const wait = seconds > 0 ? seconds * MS_A_SECOND : FIRST_WAIT_MS * 2 ** (attempt - 1);
  return Math.min(wait, MAX_WAIT_MS);
}

/** When the announced wait ends, so that parallel calls announce it once. */
const saidUntil = new WeakMap<ApiTarget, number>();

function reportWait(target: ApiTarget, waitMs: number, status: number): void {
  const now = Date.now();
  if (waitMs < MS_A_SECOND || now < (saidUntil.get(target) ?? 0)) return;
  saidUntil.set(target, now + waitMs);
  const { baseUrl, tell = (line) => void process.stderr.write(`${line}\n`) } = target;
  const seconds = Math.ceil(waitMs / MS_A_SECOND);
  const reason =
    status === TOO_MANY_REQUESTS ? `Rate limit of ${baseUrl} reached` : `${baseUrl} is busy`;
  tell(`${reason}. Continuing in ${seconds} s.`);
}

function unreachableMessage(baseUrl: string, thrown: unknown, attempt: number): string {
  const code = codeOf(thrown) || messageOf(thrown instanceof Error ? thrown.cause : thrown);
  const reason = code === "ECONNREFUSED" ? "nothing listens there" : code;
  const tries = attempt > 1 ? ` after ${attempt} tries` : "";
  // https://nodejs.org/api/tls.html#x509-certificate-error-codes
  const remedy = /CERT|UNABLE_TO/.test(code)
    ? "Use the name of its certificate, and name its authority in NODE_EXTRA_CA_CERTS."
    : `Is the server running? Start one with ${START_COMMAND}.`;
  return `Cannot reach ${baseUrl} (${reason})${tries}. ${remedy}`;
}

const errorText = z.looseObject({ error: z.string() });

async function errorOf(target: ApiTarget, request: Request, response: Response) {
  const { status } = response;
  const body = errorText.safeParse(await response.json().catch(() => null));
  // The command line's name for the header.
  const words = body.data?.error.replace(/\.$/, "").replace("in Quarry-Reader", "with --as");
  const { baseUrl, credential } = target;
  const subject = subjectOf(request);
  if (words === undefined) {
    const location = response.headers.get("Location");
    const address = location === null ? null : URL.parse(location, request.url);
    const to = address === null ? subject : `redirected to ${address.origin}${address.pathname}`;
    const text = `${baseUrl} is not Quarry, or a proxy answered: ${to} (${status}).`;
    return new ApiError(status, text);
  }
  const explained: Record<number, string> = {
    401: `${baseUrl} refused the credentials (401 Unauthorized). Check ${credential}.`,
    403: `${credential} does not cover this: ${subject} (403 Forbidden).`,
    404: `There is no ${subject} at ${baseUrl} (404 Not found).`,
  };
  // Where the service says what is missing or forbidden, its own words name it.
  const isNamed = /^(?:Not found|Forbidden): /.test(words);
  const explanation = isNamed ? undefined : explained[status];
  return new ApiError(status, explanation ?? `${subject}: ${words} (${status}).`);
}

/** The subject of a call: `RAG handbook`, or the path of a file. */
function subjectOf({ method, url }: { method: string; url: string }): string {
  const pathname = new URL(url).pathname.replace(/\/readers(?:\/check)?$/, "");
  const [, kind, id = "", file] =
    /\/api\/(rag|inference|agent|file-source|question-set)s\/([^/]+)(?:\/files\/(.+))?/.exec(
      pathname,
    ) ?? [];
  if (kind === undefined) return `${method} ${pathname}`;
  const noun = kind === "rag" ? "RAG" : kind.replace("-", " ");
  return decodeURIComponent(file ?? `${noun} ${id}`);
}
