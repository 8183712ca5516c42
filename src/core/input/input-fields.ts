import { z } from "zod";

import { MAX_IDENTIFIER_LENGTH, IDENTIFIER_PATTERN } from "../ids.ts";
import { isAddress, principalOf, parsePrincipal } from "../principals.ts";
import { timeIn } from "../time.ts";

export const MAX_NAME_LENGTH = 200;
const MAX_MODEL_LENGTH = 200;

export const name = z.string().trim().min(1).max(MAX_NAME_LENGTH).meta({ label: "Name" });

export const identifier = z
  .string()
  .max(MAX_IDENTIFIER_LENGTH)
  .regex(IDENTIFIER_PATTERN, "must be lower-case letters and digits, joined by single hyphens")
  .meta({
    label: "Identifier",
    hint: "Used in API paths. It cannot be changed. If empty, it is made from the name.",
  });

export const modelName = z
  .string()
  .max(MAX_MODEL_LENGTH)
  .regex(/^[a-z0-9-]+\/.+$/, "must be named provider/name, such as local/llama3.2");

export const MUST_BE_RELATIVE = "must be relative, without a leading /";

/** Without look-ahead, which clients of the specification in Go and Rust cannot compile. */
export const NO_LEADING_SLASH = /^(?:[^/]|$)/;

/** A path as scopes have it, wherever one is given. */
export const relativePath = z.string().regex(NO_LEADING_SLASH, MUST_BE_RELATIVE);

export const READERS_LIMIT = 1_000;

/** Signs that no person's name has in requests; white space around one is ignored. */
const personFacts = { pattern: String.raw`^[^\x00-\x08\x0e-\x1f\x7f-\x9f]*$`, minLength: 1 };

/** Principals, normalised: each once and in order. */
export const principals = z
  .array(
    z
      .string()
      .meta(personFacts)
      .refine(
        (text) => parsePrincipal(text) !== null,
        "must be user: and an address, group: or domain: and a name, or everyone",
      )
      .transform((text) => principalOf(text) ?? ""),
  )
  .max(READERS_LIMIT)
  .transform((all) => [...new Set(all)].toSorted());

/** Says whether members see a thing that an assistant can use. */
export const openToMembers = z
  .boolean()
  .meta({
    label: "Members may connect programs",
    hint: "Otherwise only administrators can connect assistants to it.",
  })
  .default(false);

const MAX_ADDRESS_LENGTH = 320;
const GROUPS_LIMIT = 1_000;
/** A person and the groups of that person, as an administrator names one. */
export const namedReader = {
  reader: z
    .string()
    .max(MAX_ADDRESS_LENGTH)
    .meta(personFacts)
    .refine(isAddress, "must be a person's address"),
  groups: z.array(z.string().max(MAX_ADDRESS_LENGTH)).max(GROUPS_LIMIT).default([]),
};

export const NO_POINT_IN_TIME = "must be an ISO 8601 day, or a time with its zone";
export const pointInTime = z
  .string()
  .meta({ format: "date-time" })
  .refine((text) => timeIn(text) !== null, NO_POINT_IN_TIME);

/** An ISO 8601 time with its zone that lies in the future of `now`; as ms. */
export const futureTime = (now: number) =>
  pointInTime
    .transform((text) => Date.parse(text))
    .refine((ms) => ms > now, "must lie in the future")
    .nullish()
    .transform((ms) => ms ?? null);
