import { invalidField, QuarryError } from "../core/errors.ts";
import { identifierFrom } from "../core/ids.ts";

/** Else derived from the name. @throws QuarryError `invalid` for a name without usable letters. */
export function chooseIdentifier(name: string, given: string | undefined): string {
  const identifier = given ?? identifierFrom(name);
  if (identifier === "")
    throw invalidField("identifier", "is required: it cannot be made from this name");
  return identifier;
}

export const identifierTaken = () =>
  new QuarryError("conflict", "Identifier is taken", {
    fields: [{ field: "identifier", problem: "is taken" }],
  });
