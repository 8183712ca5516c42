import { conflict, invalid } from "../core/errors.ts";
import { identifierFrom } from "../core/ids.ts";

/**
 * The identifier that was given, or one made from the name.
 * @throws QuarryError `invalid` when the name has nothing that an identifier could be made of.
 */
export function chooseIdentifier(name: string, given: string | undefined): string {
  const identifier = given ?? identifierFrom(name);
  if (identifier === "") throw invalid("identifier is required: none can be made from the name");
  return identifier;
}

export const identifierTaken = () => conflict("Identifier is taken");
