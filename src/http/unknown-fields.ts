import { safeParse, type z } from "zod";

import { closestName } from "../core/input/closest-name.ts";
import { pathText } from "../core/input/field-path.ts";

/** `field`: its path, as in `selectedFiles[0].files`; `closest`: finds the name that was meant. */
type UnknownField = { field: string; closest: () => string | null };
type Walk = { found: UnknownField[]; limit: number };

/** Fields of a value, at any depth, that its schema does not have; at most `limit` of them. */
export function unknownFields(
  schema: z.core.$ZodType,
  value: unknown,
  limit: number,
): UnknownField[] {
  const walk: Walk = { found: [], limit };
  walkValue(schema, value, [], walk);
  return walk.found;
}
function walkValue(schema: z.core.$ZodType, value: unknown, path: PropertyKey[], walk: Walk): void {
  if (typeof value !== "object" || value === null || walk.found.length >= walk.limit) return;
  const def = defOf(schema);
  if ("innerType" in def) return walkValue(def.innerType, value, path, walk);
  switch (def.type) {
    case "object":
      return walkObject(def, value, path, walk);
    case "array":
      if (!Array.isArray(value)) return;
      return value.forEach((item, at) => walkValue(def.element, item, [...path, at], walk));
    case "pipe":
      walkValue(def.in, value, path, walk);
      return walkValue(def.out, value, path, walk);
    case "union":
      return walkUnion(def.options, value, path, walk);
    default:
  }
}

// oxlint-disable-next-line no-underscore-dangle, typescript/no-unsafe-type-assertion -- zod's own name for what a schema consists of, and its union of all kinds
const defOf = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def;

function walkObject(
  { shape, catchall }: z.core.$ZodObjectDef,
  value: object,
  path: PropertyKey[],
  walk: Walk,
): void {
  const admitsOthers = catchall !== undefined && defOf(catchall).type !== "never";
  if (Array.isArray(value) || admitsOthers) return;
  for (const [name, inner] of Object.entries(value)) {
    if (walk.found.length >= walk.limit) return;
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (schema === undefined) {
      const field = pathText([...path, name], "body");
      walk.found.push({ field, closest: () => closestName(name, Object.keys(shape)) });
    } else walkValue(schema, inner, [...path, name], walk);
  }
}

/** Compares with the branch of a union that has most of the fields, first one that the value fits. */
function walkUnion(
  options: readonly z.core.$ZodType[],
  value: object,
  path: PropertyKey[],
  walk: Walk,
): void {
  const fitting = options.filter((option) => safeParse(option, value).success);
  const tries = (fitting.length > 0 ? fitting : options).map((option) => {
    const inner: Walk = { found: [], limit: walk.limit };
    walkValue(option, value, path, inner);
    return inner.found;
  });
  const [closest = []] = tries.sort((a, b) => a.length - b.length);
  walk.found.push(...closest.slice(0, walk.limit - walk.found.length));
}
