import type { z } from "zod";

import { settingFields } from "../../core/input/setting-fields.ts";
import { isObject } from "../../core/is-object.ts";

/** A field that was changed; without values where they are secret or long. */
export type FieldChange = { field: string; from?: unknown; to?: unknown };

const MAX_FIELDS = 30;
/** Characters of a text, or of another value as JSON, that an entry shows. */
const MAX_LENGTH = 200;

type Input = {
  /** The record, in the fields of the body. */
  before: object;
  /** The body as it came, and as its schema reads it. */
  input: unknown;
  after: unknown;
  /** They say which fields are secret. */
  schemas: (z.ZodType | undefined)[];
};

/** The fields of a body whose value differs from the record. */
export function fieldChanges({ before, input, after, schemas }: Input): FieldChange[] {
  const declared = schemas.flatMap((schema) => (schema === undefined ? [] : settingFields(schema)));
  const fields = new Map(declared.map((field) => [field.path.join("."), field]));
  const [previous, requested, next] = [leavesOf(before), leavesOf(input), leavesOf(after)];
  const groups = new Set([...requested.keys()].map(groupOf));
  const names = new Set([...previous.keys(), ...next.keys()]);
  const changes = [...names].flatMap((name): FieldChange[] => {
    const [from, to] = [previous.get(name), next.get(name)];
    const { isSecret = false, meta } = fields.get(name) ?? {};
    // An absent secret is kept, and a default is nobody's change.
    const isKept = !requested.has(name) && (isSecret || from === undefined);
    if (!groups.has(groupOf(name)) || isKept || isEqual(from, to)) return [];
    const isHidden = isSecret || meta === undefined || meta.input === "password";
    return [changeOf(name, isHidden ? undefined : { from, to })];
  });
  return changes.slice(0, MAX_FIELDS);
}

const groupOf = (name: string) => name.split(".", 1)[0];

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** The values by name that differ; none is secret. */
export function valueChanges(before: object, after: object): FieldChange[] {
  const [previous, next] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...previous.keys(), ...next.keys()])]
    .filter((name) => !isEqual(previous.get(name), next.get(name)))
    .slice(0, MAX_FIELDS)
    .map((name) => changeOf(name, { from: previous.get(name), to: next.get(name) }));
}

/** The loss when something is removed. */
export const removedFields = (before: object): FieldChange[] =>
  Object.entries(before).map(([field, from]) => changeOf(field, { from }));

function changeOf(field: string, values: { from?: unknown; to?: unknown } = {}): FieldChange {
  const entries = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return entries.every(([, value]) => isShort(value))
    ? { field, ...Object.fromEntries(entries) }
    : { field };
}

const isShort = (value: unknown) =>
  (typeof value === "string" ? value : JSON.stringify(value)).length <= MAX_LENGTH;

/** The values of an object by their paths; a list is one value. */
function leavesOf(value: unknown, path: string[] = []): Map<string, unknown> {
  if (!isObject(value)) return new Map(path.length === 0 ? [] : [[path.join("."), value]]);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return new Map(entries.flatMap(([name, inner]) => Array.from(leavesOf(inner, [...path, name]))));
}
