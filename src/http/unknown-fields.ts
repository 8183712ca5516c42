import type { z } from "zod";

import { pathText } from "../core/field-path.ts";

/** A field that a schema does not have, its path, and the schema's fields at that path. */
export type UnknownField = { name: string; path: PropertyKey[]; known: string[] };

type Walk = { found: UnknownField[]; limit: number };

/** Fields of a value, at any depth, that its schema does not have; at most `limit` of them. */
export function unknownFields(schema: z.core.$ZodType, value: unknown, limit: number) {
  const walk: Walk = { found: [], limit };
  look(schema, value, [], walk);
  return walk.found;
}

/** The field's path as errors show it: `selectedFiles[0].files`. */
export const pathOf = ({ path }: UnknownField) => pathText(path, "body");

function look(schema: z.core.$ZodType, value: unknown, path: PropertyKey[], walk: Walk): void {
  if (typeof value !== "object" || value === null || walk.found.length >= walk.limit) return;
  const def = defOf(schema);
  if ("innerType" in def) return look(def.innerType, value, path, walk);
  switch (def.type) {
    case "object":
      return lookAtObject(def, value, path, walk);
    case "array":
      if (!Array.isArray(value)) return;
      return value.forEach((item, at) => look(def.element, item, [...path, at], walk));
    case "pipe":
      look(def.in, value, path, walk);
      return look(def.out, value, path, walk);
    case "union":
      return lookAtClosest(def.options, value, path, walk);
    default:
  }
}

// oxlint-disable-next-line no-underscore-dangle, typescript/no-unsafe-type-assertion -- zod's own name for what a schema consists of, and its union of all kinds
const defOf = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def;

function lookAtObject(
  { shape, catchall }: z.core.$ZodObjectDef,
  value: object,
  path: PropertyKey[],
  walk: Walk,
): void {
  const admitsOthers = catchall !== undefined && defOf(catchall).type !== "never";
  if (Array.isArray(value) || admitsOthers) return;
  const known = Object.keys(shape);
  for (const [name, inner] of Object.entries(value)) {
    if (walk.found.length >= walk.limit) return;
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (schema === undefined) walk.found.push({ name, path: [...path, name], known });
    else look(schema, inner, [...path, name], walk);
  }
}

/** Compares with the branch of a union that has most of the fields. */
function lookAtClosest(
  options: readonly z.core.$ZodType[],
  value: object,
  path: PropertyKey[],
  walk: Walk,
): void {
  const tries = options.map((option) => {
    const one: Walk = { found: [], limit: walk.limit };
    look(option, value, path, one);
    return one.found;
  });
  const [closest = []] = tries.sort((a, b) => a.length - b.length);
  walk.found.push(...closest.slice(0, walk.limit - walk.found.length));
}

/** Longer names are not typos, and the comparison costs the product of the two lengths. */
const MAX_COMPARED_LENGTH = 40;
const SLIPS_MAX = 2;

/** The known name that was most likely meant: another case, or one or two typos. */
export function meantBy({ name, known }: UnknownField): string | null {
  if (name.length > MAX_COMPARED_LENGTH) return null;
  const folded = fold(name);
  const same = known.find((one) => fold(one) === folded);
  if (same !== undefined) return same;
  const near = known
    .map((one) => ({ one, slips: distance(folded, fold(one)) }))
    .filter(({ one, slips }) => slips <= SLIPS_MAX && slips * 2 < one.length)
    .sort((a, b) => a.slips - b.slips);
  return near[0]?.one ?? null;
}

const fold = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, "");

/** Levenshtein's: insertions, deletions and replacements that lead from one to the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
