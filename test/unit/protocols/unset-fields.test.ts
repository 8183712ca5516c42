import { expect, test } from "vitest";
import { safeParse, type z } from "zod";

import { ChatRequest } from "../../../src/protocols/openai/chat-request.ts";
import { EmbeddingsRequest } from "../../../src/protocols/openai/embeddings.ts";
import { ResponsesRequest } from "../../../src/protocols/openai/responses-request.ts";
import { SearchRequest } from "../../../src/protocols/openai/vector-stores.ts";

/** Paths of fields that may be left out but not be null, at any depth. */
function refusingNull(schema: z.core.$ZodType, path = ""): string[] {
  const { def } = schema as z.core.$ZodTypes & { def: z.core.$ZodTypes["_zod"]["def"] };
  if ("innerType" in def) return refusingNull(def.innerType, path);
  if (def.type === "array") return refusingNull(def.element, `${path}[]`);
  if (def.type === "pipe") return refusingNull(def.in, path);
  if (def.type === "union") return def.options.flatMap((option) => refusingNull(option, path));
  if (def.type !== "object") return [];
  return Object.entries(def.shape).flatMap(([name, field]) => {
    const within = refusingNull(field, `${path}.${name}`);
    const refuses = takes(field, undefined) && !takes(field, null);
    return within.concat(refuses ? [`${path}.${name}`] : []);
  });
}

const takes = (schema: z.core.$ZodType, value: unknown) => safeParse(schema, value).success;

test.each(Object.entries({ ChatRequest, EmbeddingsRequest, ResponsesRequest, SearchRequest }))(
  "every field of a %s that may be left out may be null",
  (_name, schema) => {
    expect(refusingNull(schema)).toEqual([]);
  },
);
