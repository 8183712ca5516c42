/**
 * The errors of the domain. They know no HTTP; `http/errors.ts` turns each kind into a status.
 * A message is written for the caller: it never holds a secret, a URL of ours or a vendor's body.
 */
export type ErrorKind =
  | "invalid" // the input is wrong; the message names each failing field
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "conflict" // taken, or in use by something else
  | "unprocessable" // understood, but the resource's state does not allow it
  | "too-large"
  | "too-many" // asked too often; the error says when again
  | "unsupported-encoding" // the body is compressed, or coded otherwise
  | "model-failed" // the model provider failed; names its status
  | "busy" // too much of this caller's work waits already; the error says when again
  | "spending-reached" // a spending limit leaves no room; the error says when again
  | "limits-unavailable" // the store of rate or spending limits cannot be asked
  | "no-room" // the storage is full, or a local service's disk cannot be written
  | "storage-failed"; // the storage failed or did not answer; it may pass

export type ErrorCode =
  | "not-json"
  | "code-required" // the password is right, and there is a second factor
  | "code-refused"
  | "context-length-exceeded"; // the prompt does not fit into the model's window

/** Messages can quote the caller's input. */
const MESSAGE_LIMIT = 4_000;

/** A field's path, and the rest of a sentence ("must be at most 100") or ": there is no main". */
export type FieldProblem = { field: string; problem: string };

export const problemText = ({ field, problem }: FieldProblem) =>
  problem.startsWith(":") ? `${field}${problem}` : `${field} ${problem}`;

export class QuarryError extends Error {
  override readonly name = "QuarryError";
  readonly kind: ErrorKind;
  /** The failing fields that the message names, for a form that shows each at its place. */
  readonly fields: readonly FieldProblem[];

  /** For callers that must tell this error from others of its kind. */
  readonly code: ErrorCode | null;

  /** Whole seconds to wait; null where waiting does not help. */
  readonly retryAfterSeconds: number | null;

  constructor(
    kind: ErrorKind,
    message: string,
    options: {
      cause?: unknown;
      retryAfterSeconds?: number;
      fields?: FieldProblem[];
      code?: ErrorCode;
    } = {},
  ) {
    super(
      message.length > MESSAGE_LIMIT ? `${message.slice(0, MESSAGE_LIMIT)}…` : message,
      options,
    );
    this.kind = kind;
    this.fields = options.fields ?? [];
    this.code = options.code ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

const INVALID = "Invalid request: ";

/** The message for whoever filled in a form: without the words for programs. */
export function plainMessage({ kind, message }: QuarryError): string {
  const text = kind === "invalid" ? message.slice(INVALID.length) : message;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export const invalid = (message: string, fields: FieldProblem[] = []) =>
  new QuarryError("invalid", `${INVALID}${message}`, { fields });
export const invalidFields = (problems: FieldProblem[]) =>
  invalid(problems.map(problemText).join("; "), problems);
export const invalidField = (field: string, problem: string) => invalidFields([{ field, problem }]);
/** The thing. @throws QuarryError `invalid` where there is none. */
export function requireValid<Thing>(thing: Thing | null, field: string, problem: string): Thing {
  if (thing === null) throw invalidField(field, problem);
  return thing;
}

/** Throws the error of a body that its caller stopped sending. */
export function throwCutOff(cause: unknown): never {
  throw new QuarryError("invalid", `${INVALID}body ends before its length`, { cause });
}
export const notJson = () =>
  new QuarryError("invalid", `${INVALID}body is not valid JSON`, { code: "not-json" });
export const unauthorized = () => new QuarryError("unauthorized", "Unauthorized");
export const forbidden = () => new QuarryError("forbidden", "Forbidden");
export const secondFactorRequired = () =>
  new QuarryError("forbidden", "A second factor is required: enrol one in the panel");
/** `what`: what is not there, and what to do instead, where the caller cannot tell. */
export const notFound = (what?: string) =>
  new QuarryError("not-found", what === undefined ? "Not found" : `Not found: ${what}`);
/** The thing. @throws QuarryError `not-found` where there is none. */
export function requireFound<Thing>(thing: Thing | null | undefined): Thing {
  if (thing === null || thing === undefined) throw notFound();
  return thing;
}
export const conflict = (message: string) => new QuarryError("conflict", message);
export const unprocessable = (message: string) => new QuarryError("unprocessable", message);
export const tooLarge = () => new QuarryError("too-large", "Payload too large");
export const tooManyRequests = (retryAfterSeconds: number) =>
  new QuarryError("too-many", "Too many requests", { retryAfterSeconds });
export const unsupportedEncoding = () =>
  new QuarryError("unsupported-encoding", "Unsupported content encoding: send the body as it is");
export const modelFailed = (message: string, cause?: unknown) =>
  new QuarryError("model-failed", message, { cause });
/** Most work that waits is done by then. */
const BUSY_SECONDS = 5;
export const busy = (message: string, retryAfterSeconds = BUSY_SECONDS) =>
  new QuarryError("busy", message, { retryAfterSeconds });
export const limitsUnavailable = (what = "Rate limiting") =>
  new QuarryError("limits-unavailable", `${what} unavailable`);

/** `isFull`: waiting for calls under way does not help. */
export class SpendingReached extends QuarryError {
  readonly isFull: boolean;
  constructor(isFull: boolean, retryAfterSeconds: number) {
    super("spending-reached", "Spending limit reached", { retryAfterSeconds });
    this.isFull = isFull;
  }
}

export const noRoom = (cause: unknown) =>
  new QuarryError("no-room", "No room: the storage is full or cannot be written", { cause });
export const storageFailed = (cause: unknown) =>
  new QuarryError("storage-failed", "Storage unavailable", { cause });

export const isStorageFailure = (thrown: unknown): thrown is QuarryError =>
  thrown instanceof QuarryError && (thrown.kind === "no-room" || thrown.kind === "storage-failed");

export const isNotFound = (thrown: unknown): boolean =>
  thrown instanceof QuarryError && thrown.kind === "not-found";

/** The text of anything that was thrown; never a stack. For logs: `reasonOf`. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

const MAX_REASON_LENGTH = 300;

/** A reason for logs: one line of bounded length, with the platform's words on its storage. */
export function reasonOf(thrown: unknown): string {
  const [line = ""] = messageOf(thrown).split("\n", 1);
  const cause = isStorageFailure(thrown) ? ` (${messageOf(thrown.cause)})` : "";
  return `${line}${cause}`.slice(0, MAX_REASON_LENGTH);
}
