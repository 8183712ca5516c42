import type { ContentfulStatusCode } from "hono/utils/http-status";

import { problemText, QuarryError, tooLarge } from "../../../core/errors.ts";
import { answerTo } from "../../../http/errors.ts";
import { readText, refuseCoded } from "../../../http/middleware/json-body.ts";
import type { PageContext } from "../page-env.ts";

const KIB = 1_024;
/** Bytes of a form as it is sent: a prompt of 200,000 characters, percent-encoded. */
const FORM_LIMIT_BYTES = 4 * KIB * KIB;
/** The same for the forms that anybody may send, signed in or not. */
export const STRANGERS_LIMIT_BYTES = 16 * KIB;
/** Each pair becomes two texts: 4 MiB of separators would be two million of them. */
const PAIRS_MAX = 20_000;

/** What somebody typed. A field's name is its path in the body that the API takes. */
export type Form = {
  /** The field's text without surrounding white space; empty when it was not sent. */
  text: (field: string) => string;
  /** The same as it was typed: passwords and prompts. */
  exact: (field: string) => string;
  /** All values of a field that may be sent more than once: checkboxes. */
  all: (field: string) => string[];
  has: (field: string) => boolean;
};

/** The values of a posted form, or of an address. */
export const formFrom = (values: URLSearchParams): Form => ({
  text: (field) => (values.get(field) ?? "").trim(),
  // Browsers send line breaks as CR LF.
  exact: (field) => (values.get(field) ?? "").replaceAll("\r\n", "\n"),
  all: (field) => values.getAll(field),
  has: (field) => values.has(field),
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
  if (hasMoreThan(PAIRS_MAX, text)) throw tooLarge();
  return new URLSearchParams(text);
}

/** The form of these values; the record of what happened names its fields. */
export function sentForm(context: PageContext, values: URLSearchParams): Form {
  const names = [...values.keys()].map((name) => name.split(".", 1)[0] ?? name);
  context.set("auditFields", [...new Set(names)]);
  return formFrom(values);
}

function hasMoreThan(pairs: number, text: string): boolean {
  let at = -1;
  for (let found = 0; found < pairs; found++) {
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
  const placed = new Map<string, string>();
  const elsewhere: string[] = [];
  for (const { field, problem } of error.fields) {
    const owner = ownerOf(field, fields);
    if (owner === null) elsewhere.push(problemText({ field, problem }));
    else if (!placed.has(owner)) placed.set(owner, problem.replace(/^: /, ""));
  }
  if (placed.size === 0 && elsewhere.length === 0) elsewhere.push(plain(error));
  return {
    status: answerTo(error).status,
    text: form.exact,
    all: form.all,
    problem: (field) => placed.get(field) ?? null,
    message: elsewhere.length === 0 ? null : elsewhere.join("; "),
    code: error.code,
  };
}

function plain({ message, retryAfterSeconds }: QuarryError): string {
  const text = message.replace(/^Invalid request: /, "");
  const wait = retryAfterSeconds === null ? "" : `. Try again in ${retryAfterSeconds} seconds.`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${wait}`;
}

/** A problem of `config.rules[2]` is shown at the field `config.rules`. */
function ownerOf(field: string, fields: readonly string[]): string | null {
  const owners = fields.filter((name) => isWithin(field, name));
  return owners.sort((a, b) => b.length - a.length)[0] ?? null;
}

const isWithin = (field: string, name: string) =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
