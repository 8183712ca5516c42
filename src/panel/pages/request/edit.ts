import { sha256Hex } from "../../../core/hash.ts";
import { isObject } from "../../../core/is-object.ts";
import { QuarryError } from "../../../core/errors.ts";
import type { Form, FormState } from "./form.ts";

/** The hidden field that tells what the others held when the form was shown. */
const SEEN = "seen";
const HASH_LENGTH = 16;
const CHANGED_MEANWHILE =
  "was changed by somebody else meanwhile: this is yours, and sending it again replaces theirs";

/** Browsers send line breaks as CR LF; boxes are sent in the order of the page. */
async function hashOf(values: string[]): Promise<string> {
  const told = values.map((value) => value.replaceAll(/\r\n?/g, "\n").trim());
  const known = told.filter((value) => value !== "").sort();
  return (await sha256Hex(JSON.stringify(known))).slice(0, HASH_LENGTH);
}

/** What the fields of a stored record hold: a hash for each, as the form's field `seen`. */
export async function seenOf(stored: FormState, fields: readonly string[]): Promise<string> {
  const hashes = fields.map(async (field) => [field, await hashOf(stored.all(field))] as const);
  return JSON.stringify(Object.fromEntries(await Promise.all(hashes)));
}

/** A change of a stored record by a form that may have been opened long ago. */
export type Edit = {
  /** The form in which a field that its author left alone holds what is stored now. */
  form: Form;
  /** The fields that its author changed. */
  touched: ReadonlySet<string>;
  /** Those of them that somebody else changed as well since the form was shown. */
  collided: readonly string[];
};

/** Compares what was sent with what was shown and with what is stored now. */
export async function editOf(
  sent: Form,
  stored: FormState,
  fields: readonly string[],
): Promise<Edit> {
  const seen = hashesIn(sent.exact(SEEN));
  const touched = new Set<string>();
  const collided: string[] = [];
  for (const field of fields) {
    const before = seen === null ? undefined : seen[field];
    // A program's form tells nothing of what was shown: it means every field that it names.
    if (seen === null) touched.add(field);
    if (before === undefined) continue;
    const [given, now] = await Promise.all([hashOf(sent.all(field)), hashOf(stored.all(field))]);
    if (given === before) continue;
    touched.add(field);
    if (now !== before && now !== given) collided.push(field);
  }
  return { form: mergedForm(sent, stored, fields, touched), touched, collided };
}

function hashesIn(text: string): Record<string, unknown> | null {
  if (text === "") return null;
  try {
    const hashes: unknown = JSON.parse(text);
    return isObject(hashes) ? hashes : null;
  } catch {
    return null;
  }
}

function mergedForm(
  sent: Form,
  stored: FormState,
  fields: readonly string[],
  touched: ReadonlySet<string>,
): Form {
  const isStored = (field: string) => fields.includes(field) && !touched.has(field);
  return {
    text: (field) => (isStored(field) ? stored.text(field).trim() : sent.text(field)),
    exact: (field) => (isStored(field) ? stored.text(field) : sent.exact(field)),
    all: (field) => (isStored(field) ? stored.all(field) : sent.all(field)),
    has: (field) => isStored(field) || sent.has(field),
  };
}

/**
 * Of a body of the API's PATCH only the parts whose fields were changed, so that a form undoes
 * nothing that another window saved.
 * @throws QuarryError `conflict` where both changed the same field.
 */
export function changedIn<Body extends object>(
  { touched, collided }: Edit,
  body: Body,
): Partial<Body> {
  if (collided.length > 0) {
    const fields = collided.map((field) => ({ field, problem: CHANGED_MEANWHILE }));
    const message = `${collided.join(", ")} ${CHANGED_MEANWHILE}`;
    throw new QuarryError("conflict", message, { fields });
  }
  const parts = new Set([...touched].map((field) => field.split(".", 1)[0]));
  const kept = Object.entries(body).filter(([name]) => parts.has(name));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries of the body itself
  return Object.fromEntries(kept) as Partial<Body>;
}
