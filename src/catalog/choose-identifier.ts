import { invalidField, QuarryError } from "../core/errors.ts";
import { identifierFrom } from "../core/ids.ts";

/** The given one, or from the name. @throws QuarryError `invalid`: no usable letters in it */
export function chooseIdentifier(name: string, requested: string | undefined): string {
  const identifier = requested ?? identifierFrom(name);
  if (identifier === "")
    throw invalidField("identifier", "is required: it cannot be made from this name");
  return identifier;
}

export const identifierTaken = () =>
  new QuarryError("conflict", "Identifier is taken: send another one as identifier", {
    fields: [{ field: "identifier", problem: "is taken" }],
  });
