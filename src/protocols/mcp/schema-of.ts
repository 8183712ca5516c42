import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";

/** The JSON Schema of an object, as the protocol lists it. */
export function schemaOf(schema: z.ZodObject, io: "input" | "output"): Tool["inputSchema"] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object's schema; the two libraries only type its keywords differently
  return { ...rest, type: "object" } as Tool["inputSchema"];
}
