import type { ContentfulStatusCode } from "hono/utils/http-status";

import { conflict, invalid, problemText, QuarryError, toldToPeople } from "../../../core/errors.ts";
import { tooLarge } from "../../../core/errors.ts";
import { answerTo } from "../../../http/errors.ts";
import { readText, refuseCoded } from "../../../http/middleware/json-body.ts";
import type { Services } from "../../../services.ts";
import type { PageContext } from "../page-env.ts";
import { setFlash, type Flash } from "./page-cookies.ts";

const KIB = 1_024;
/** Bytes of a form as it is sent: a prompt of 200,000 characters, percent-encoded. */
const FORM_LIMIT_BYTES = 4 * KIB * KIB;
/** The same for the forms that anybody may send, signed in or not. */
export const STRANGERS_LIMIT_BYTES = 16 * KIB;
/** Each pair becomes two texts: 4 MiB of separators would be two million of them. */
const MAX_PAIRS = 20_000;

/** What somebody typed. A field's name is its path in the body that the API takes. */
export type Form = ReturnType<typeof formFrom>;

export const formFrom = (values: URLSearchParams) => ({
  /** The field's text without surrounding white space; empty when it was not sent. */
  text: (field: string) => (values.get(field) ?? "").trim(),
  /** The same as it was typed: passwords and prompts. Browsers send line breaks as CR LF. */
  exact: (field: string) => (values.get(field) ?? "").replaceAll("\r\n", "\n"),
  /** All values of a field that may be sent more than once: checkboxes. */
  all: (field: string) => values.getAll(field),
  /** The lines of all of them, without surrounding white space and empty ones. */
  lines: (field: string) =>
    values
      .getAll(field)
      .flatMap((value) => value.split("\n"))
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  has: (field: string) => values.has(field),
});

/** The form that was posted, URL-encoded. @throws QuarryError `too-large`. */
export async function formOf(
  context: PageContext,
  limitBytes: number = FORM_LIMIT_BYTES,
): Promise<Form> {
  return sentForm(context, await postedValues(context, limitBytes));
}

/** The same as it was sent. @throws QuarryError `too-large`. */
export async function postedValues(
  { req }: PageContext,
  limitBytes: number = FORM_LIMIT_BYTES,
): Promise<URLSearchParams> {
  refuseCoded(req.raw.headers);
  const text = await readText(req.raw, limitBytes);
  if (hasMoreThan(MAX_PAIRS, text)) throw tooLarge();
  return new URLSearchParams(text);
}

/** The form of these values; the record of what happened names its fields. */
function sentForm(context: PageContext, values: URLSearchParams): Form {
  const names = [...values.keys()].map((name) => name.split(".", 1)[0] ?? name);
  context.set("auditFields", [...new Set(names)]);
  return formFrom(values);
}

function hasMoreThan(pairs: number, text: string): boolean {
  let at = -1;
  for (let count = 0; count < pairs; count++) {
    at = text.indexOf("&", at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** A choice that says: the field named `….other` holds it. */
export const OTHER_MODEL = "other";

/** A number as the API wants it; other text stays text, so that the check refuses it. */
export function numberOf(text: string): number | string {
  const number = Number(text);
  return text === "" || !Number.isFinite(number) ? text : number;
}

/** Undefined where nothing was typed: the default applies. */
export const typed = (text: string): string | undefined => (text === "" ? undefined : text);

/** A form as it is shown: what its fields hold, and what is wrong with them. */
export type FormState = {
  status: ContentfulStatusCode;
  text: (field: string) => string;
  all: (field: string) => string[];
  /** What is wrong with a field; null: nothing. */
  problem: (field: string) => string | null;
  /** What is wrong with the form as a whole; null: nothing. */
  message: string | null;
  /** The refusal's code, if it has one. */
  code: QuarryError["code"];
};

/** A form that nobody has sent yet. A list is for checkboxes. */
export function freshForm(values: Record<string, string | string[]> = {}): FormState {
  const all = (field: string) => [values[field] ?? []].flat();
  return {
    status: 200,
    text: (field) => all(field)[0] ?? "",
    all,
    problem: () => null,
    message: null,
    code: null,
  };
}

export type Attempt<Result> = { done: true; result: Result } | { done: false; state: FormState };

/** Kinds of errors that the sender of a form can correct. */
const MENDABLE = new Set(["invalid", "conflict", "unprocessable", "unauthorized", "too-many"]);

/**
 * Does what a form asks for. What the form's author can correct comes back as the form's state: every
 * value as it was typed, messages at their fields. Any other error is thrown on.
 * @param fields the form's fields; other problems are shown above the form.
 */
export async function attempt<Result>(
  form: Form,
  fields: readonly string[],
  work: () => Promise<Result>,
): Promise<Attempt<Result>> {
  try {
    return { done: true, result: await work() };
  } catch (thrown) {
    if (!(thrown instanceof QuarryError) || !MENDABLE.has(thrown.kind)) throw thrown;
    return { done: false, state: failedForm(form, fields, thrown) };
  }
}

function failedForm(form: Form, fields: readonly string[], error: QuarryError): FormState {
  const messages = new Map<string, string>();
  const elsewhere: string[] = [];
  for (const { field, problem } of error.fields) {
    const owner = ownerOf(field, fields);
    if (owner === null) elsewhere.push(problemText({ field, problem }));
    else if (!messages.has(owner)) messages.set(owner, problem);
  }
  if (messages.size === 0 && elsewhere.length === 0) elsewhere.push(plain(error));
  return {
    status: answerTo(error).status,
    text: form.exact,
    all: form.all,
    problem: (field) => messages.get(field) ?? null,
    message: elsewhere.length === 0 ? null : elsewhere.join("; "),
    code: error.code,
  };
}

function plain(error: QuarryError): string {
  const { retryAfterSeconds } = error;
  const wait = retryAfterSeconds === null ? "" : `. Try again in ${retryAfterSeconds} seconds.`;
  return `${toldToPeople(error)}${wait}`;
}

/** A problem of `config.rules[2]` is shown at the field `config.rules`. */
function ownerOf(field: string, fields: readonly string[]): string | null {
  const owners = fields.filter((name) => isWithin(field, name));
  return owners.sort((a, b) => b.length - a.length)[0] ?? null;
}

const isWithin = (field: string, name: string) =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);

/** As the API's route names it. Before the change, so that a failed one is recorded as well. */
export function auditAs(context: PageContext, action: string, target: string | null = null): void {
  context.set("auditAction", action);
  if (target !== null) context.set("auditTarget", target);
}

type Told = { notice?: string; problem?: string; secret?: Flash["secret"] };

/** The answer to a form that succeeded. The next page shows the notice once. */
export function redirectWithNotice(
  context: PageContext,
  address: string,
  flash: Told = {},
): Response {
  const { notice = null, problem = null, secret = null } = flash;
  const { pathname: path } = new URL(address, "http://here");
  if (Object.keys(flash).length > 0) setFlash(context, { path, notice, problem, secret });
  return context.redirect(address, 303);
}

export type Submission<Result> = {
  /** Absent: nothing changes that the audit log would name. */
  audit?: readonly [action: string, target?: string];
  form?: Form;
  /** The form's fields; other problems are shown above it. */
  fields?: readonly string[];
  /** The record that it changes: refused when that changed since the form was shown. */
  changes?: Changing;
  work: (services: Services, form: Form) => Promise<Result>;
  /** The form with what its author can correct; absent: a button, whose errors have a page. */
  again?: (state: FormState, form: Form) => Promise<Response>;
  /** Where success leads, the notice there, and the created resource. */
  leads: (result: Result) => Told & { to: string; target?: string };
};

/** The answer to a posted form: the next page, or the form again with what is wrong. */
export async function submit<Result>(context: PageContext, submission: Submission<Result>) {
  const { audit, fields = [], again } = submission;
  if (audit !== undefined) auditAs(context, ...audit);
  const form = submission.form ?? (await formOf(context));
  const work = async () => {
    refuseStale(form, submission.changes);
    return await submission.work(context.get("services"), form);
  };
  if (again === undefined) return leadOn(context, submission, await work());
  const attempted = await attempt(form, fields, work);
  return attempted.done
    ? leadOn(context, submission, attempted.result)
    : await again(attempted.state, form);
}

function leadOn<Result>(
  context: PageContext,
  { audit, leads }: Submission<Result>,
  result: Result,
): Response {
  const { to, target, ...flash } = leads(result);
  if (audit !== undefined && target !== undefined) auditAs(context, audit[0], target);
  return redirectWithNotice(context, to, flash);
}

/** The hidden field that tells which state of a record a form shows. */
export const UPDATED_AT = "updatedAt";

/** A stored record; null: there is none yet. */
type Changing = { updatedAt: number } | null;

/** Nothing, when the form has no such field. @throws QuarryError `conflict`: changed since shown */
export function refuseStale(form: Form, record: Changing = null): void {
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
  refuseCoded(context.req.raw.headers);
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
  return { form: sentForm(context, values), files };
}
