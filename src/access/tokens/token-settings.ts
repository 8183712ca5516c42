import { z } from "zod";

import { MAX_IDENTIFIER_LENGTH } from "../../core/ids.ts";
import { futureTime, name } from "../../core/input/input-fields.ts";
import { isAddress, NAMED } from "../../core/principals.ts";

const MAX_GROUP = 1_000;

const group = (label: string) =>
  z
    .array(z.string().max(MAX_IDENTIFIER_LENGTH))
    .max(MAX_GROUP)
    .refine(
      (names) => names.length === 1 || !names.includes("*"),
      "must be * alone, or a list without *",
    )
    .meta({ label })
    .default([]);

/** As stored: `named`, or the address of one person. */
const reader = z
  .string()
  .refine((text) => text === NAMED || isAddress(text), "must be `named` or a person's address")
  .nullish()
  .transform((text) => text ?? null);

/**
 * The settings of a token that is made at this time (ms), for API, forms, references and columns.
 */
export const newToken = (now: number) =>
  z.object({
    name: name.meta({ label: "Name", hint: "The program that uses it." }),
    rags: group("RAGs"),
    inferences: group("Inferences"),
    agents: group("Agents"),
    manageScopes: z
      .boolean()
      .meta({
        label: "May change what scoped RAGs index",
        hint: "Adds and removes scopes over the API.",
      })
      .default(true),
    reader: reader.meta({
      label: "Reader",
      hint: "For sources with permissions. An email address: calls find what this person may read. The word named: each call names its reader.",
    }),
    expiresAt: futureTime(now).meta({
      label: "Last day",
      hint: "UTC. If empty, it does not expire.",
      input: "date",
    }),
  });
export type NewToken = Omit<z.output<ReturnType<typeof newToken>>, "reader"> & {
  reader?: string | null;
  /** Groups of that person from the sign-in. */
  readerGroups?: string[];
};
