import { conflict, invalid, problemText, QuarryError, plainMessage } from "../../../core/errors.ts";
import { tooLarge } from "../../../core/errors.ts";
import { errorAnswerOf } from "../../../http/errors.ts";
import { readText, refuseContentCoding } from "../../../http/middleware/json-body.ts";
import { formFrom, UPDATED_AT, type FormValues, type FormState } from "../../components/form.tsx";
import type { Flash } from "../../components/layout.tsx";
import type { PageContext } from "../page-env.ts";
import { setFlash } from "./page-cookies.ts";

const KIB = 1_024;
/** Bytes of a form as it is sent: a prompt of 200,000 characters, percent-encoded. */
const FORM_LIMIT_BYTES = 4 * KIB * KIB;
/** The limit of forms that anybody may send, signed in or not. */
export const STRANGERS_LIMIT_BYTES = 16 * KIB;
/** Each pair becomes two texts: 4 MiB of separators would be two million of them. */
const MAX_PAIRS = 20_000;

/** The form that was posted, URL-encoded. @throws QuarryError `too-large`. */
export async function formOf(context: PageContext, limitBytes: number = FORM_LIMIT_BYTES) {
  return formFrom(await readPosted(context, limitBytes));
}

/** The values as they were sent. @throws QuarryError `too-large`. */
export async function readPosted({ req }: PageContext, limitBytes: number = FORM_LIMIT_BYTES) {
  refuseContentCoding(req.raw.headers);
  const text = await readText(req.raw, limitBytes);
  if (hasMoreThan(MAX_PAIRS, text)) throw tooLarge();
  return new URLSearchParams(text);
}

function hasMoreThan(pairs: number, text: string): boolean {
  let at = -1;
  for (let count = 0; count < pairs; count++) {
    at = text.indexOf("&", at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** Undefined where nothing was typed: the default applies. */
export const omitBlank = (text: string): string | undefined => (text === "" ? undefined : text);

export type Attempt<Result> = { done: true; result: Result } | { done: false; state: FormState };

/** Kinds of errors that the sender of a form can correct. */
const MENDABLE = new Set(["invalid", "conflict", "unprocessable", "unauthorized", "too-many"]);

/**
 * Does what a form asks for. What the form's author can correct comes back as the form's state: every
 * value as it was typed, messages at their fields. Any other error is thrown on.
 * @param fields the form's fields; other problems are shown above the form.
 * @param context gets the seconds to wait as a header.
 */
export async function attempt<Result>(
  form: FormValues,
  fields: readonly string[],
  work: () => Promise<Result>,
  context?: PageContext,
): Promise<Attempt<Result>> {
  try {
    return { done: true, result: await work() };
  } catch (thrown) {
    if (!(thrown instanceof QuarryError) || !MENDABLE.has(thrown.kind)) throw thrown;
    const { retryAfterSeconds: seconds } = thrown;
    if (seconds !== null) context?.header("Retry-After", String(seconds));
    return { done: false, state: failedForm(form, fields, thrown) };
  }
}

function failedForm(form: FormValues, fields: readonly string[], error: QuarryError): FormState {
  const messages = new Map<string, string>();
  const elsewhere: string[] = [];
  for (const { field, problem } of error.fields) {
    const owner = ownerOf(field, fields);
    if (owner === null) elsewhere.push(problemText({ field, problem }));
    else if (!messages.has(owner)) messages.set(owner, problem);
  }
  if (messages.size === 0 && elsewhere.length === 0) elsewhere.push(errorText(error));
  return {
    status: errorAnswerOf(error).status,
    text: form.exact,
    valuesOf: form.all,
    problem: (field) => messages.get(field) ?? null,
    message: elsewhere.length === 0 ? null : elsewhere.join("; "),
    code: error.code,
  };
}

function errorText(error: QuarryError): string {
  const { retryAfterSeconds } = error;
  const wait = retryAfterSeconds === null ? "" : `. Try again in ${retryAfterSeconds} seconds.`;
  return `${plainMessage(error)}${wait}`;
}

/** A problem of `config.rules[2]` is shown at the field `config.rules`. */
function ownerOf(field: string, fields: readonly string[]): string | null {
  const owners = fields.filter((name) => isWithin(field, name));
  return owners.sort((a, b) => b.length - a.length)[0] ?? null;
}

const isWithin = (field: string, name: string) =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);

export type FormOutcome = { notice?: string; problem?: string; secret?: Flash["secret"] };

/** The answer to a form that succeeded. The next page shows the notice once. */
export function redirectWithNotice(context: PageContext, address: string, flash: FormOutcome = {}) {
  const { notice = null, problem = null, secret = null } = flash;
  const { pathname: path } = new URL(address, "http://here");
  if (Object.keys(flash).length > 0) setFlash(context, { path, notice, problem, secret });
  return context.redirect(address, 303);
}

/** A stored record; null: there is none yet. */
export type ShownVersion = { updatedAt: number } | null;

/** Nothing, when the form has no such field. @throws QuarryError `conflict`: changed since shown */
export function refuseStale(form: FormValues, record: ShownVersion = null): void {
  const updatedAt = form.text(UPDATED_AT);
  if (updatedAt === "" || updatedAt === String(record?.updatedAt ?? 0)) return;
  throw conflict(
    "Somebody else changed this meanwhile, and nothing was saved. Send it again to replace what they saved.",
  );
}

export type FormWithFiles = Awaited<ReturnType<typeof multipartOf>>;

/** Read whole. @throws QuarryError `too-large`, also without a length; `invalid`: no form */
export async function multipartOf(context: PageContext, limitBytes: number) {
  const type = context.req.header("Content-Type") ?? "";
  if (!type.toLowerCase().startsWith("multipart/form-data")) {
    return { form: await formOf(context, limitBytes), files: (): File[] => [] };
  }
  refuseContentCoding(context.req.raw.headers);
  const length = Number(context.req.header("Content-Length") ?? Number.NaN);
  if (!(length <= limitBytes)) throw tooLarge();
  const data = await context.req.formData().catch(() => {
    throw invalid("the form cannot be read");
  });
  const values = new URLSearchParams();
  for (const [name, value] of data) if (typeof value === "string") values.append(name, value);
  // A field in which nothing was chosen is sent as a file without a name.
  const files = (field: string) =>
    data
      .getAll(field)
      .flatMap((value) => (typeof value === "string" || value.name === "" ? [] : [value]));
  return { form: formFrom(values), files };
}

/** When a last day ends (UTC); null: the field is empty. */
export function endOfLastDay(form: FormValues): string | null {
  const day = form.text("expiresAt");
  return day === "" ? null : `${day}T23:59:59Z`;
}
