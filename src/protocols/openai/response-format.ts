import { z } from "zod";

import { isTooDeep } from "../../inference/json-schema/json-values.ts";
import { TOO_DEEP } from "../../inference/json-schema/keywords.ts";
import { readResponseSchema } from "../../inference/response-schema.ts";
import { refuse } from "./errors.ts";

const Schema = z.record(z.string(), z.unknown());

const FORMAT_TYPES = z.enum(["text", "json_object", "json_schema"]);

/** A form of the answer. `schema` with `json_object`: as some clients send it. */
export const ResponseFormat = z.object({ type: FORMAT_TYPES, schema: Schema.nullish() });

/** Any object: what `json_object` asks for. */
const ANY_OBJECT = JSON.stringify({ type: "object" });

/** Undefined: plain text. @throws OpenAiRefusal that names `param`, the schema's field */
export function schemaOf(
  format: z.output<typeof ResponseFormat> | null | undefined,
  param: string,
): string | undefined {
  if (format === null || format === undefined || format.type === "text") return undefined;
  if (format.schema === null || format.schema === undefined) return ANY_OBJECT;
  if (isTooDeep(format.schema)) throw refuse(param, TOO_DEEP);
  const schema = JSON.stringify(format.schema);
  const result = readResponseSchema(schema);
  if (!result.ok) throw refuse(param, result.reason);
  return schema;
}
