import type { JsonObject } from "./json-values.ts";

export type Draft = "4" | "7" | "2019-09" | "2020-12";

const DIALECT = /^https?:\/\/json-schema\.org\/(?:draft[-/])?([\d-]+\/)?(hyper-)?schema#?$/;
const DRAFTS: Record<string, Draft> = {
  "04/": "4",
  "06/": "7",
  "07/": "7",
  "2019-09/": "2019-09",
  "2020-12/": "2020-12",
};

/** By `$schema`; null where it names a dialect that is not known here. */
export function draftOf(schema: JsonObject | boolean): Draft | null {
  const named = typeof schema === "boolean" ? undefined : schema["$schema"];
  if (typeof named !== "string" || named === "") return "2020-12";
  const found = DIALECT.exec(named);
  if (found === null) return null;
  const [, version = "2020-12/"] = found;
  return DRAFTS[version] ?? null;
}

/** Before 2019-09 a `$ref` disabled the keywords beside it. */
export const switchesOff = (draft: Draft) => draft === "4" || draft === "7";
