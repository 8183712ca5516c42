import type { z } from "zod";

/** Fields of these names, all with the same schema. */
export const fieldsOfKind = <Schema extends z.ZodType, Name extends string>(
  schema: Schema,
  ...names: Name[]
) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of exactly these names
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
