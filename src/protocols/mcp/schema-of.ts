import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";

/** Models write numbers as texts, too. */
export const numberOrText = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === "string" ? Number(value) : value), schema);

/**
 * The JSON Schema of an object, as the protocol lists it, without what servers of models cannot make
 * a grammar of: llama.cpp refuses each request of a program for one such field of one tool
 * (https://github.com/ggml-org/llama.cpp/blob/master/common/json-schema-to-grammar.cpp).
 */
export function schemaOf(schema: z.ZodObject, io: "input" | "output"): Tool["inputSchema"] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      delete jsonSchema.pattern;
      delete jsonSchema.maxLength;
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object's schema; the two libraries only type its keywords differently
  return { ...rest, type: "object" } as Tool["inputSchema"];
}
