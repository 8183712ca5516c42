import { isObject } from "../../../core/is-object.ts";
import { FORM_FACTS } from "../../../core/input/setting-fields.ts";

/** A document in which the label and hint of a setting are its description. */
export function describedSettings<Part>(part: Part): Part {
  if (Array.isArray(part)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each element keeps its type
    return part.map((one: unknown) => describedSettings(one)) as Part;
  }
  if (!isObject(part)) return part;
  const kept = Object.entries(part)
    .filter(([name, value]) => !(FORM_FACTS.has(name) && !isObject(value)) && name !== "choices")
    .map(([name, value]): [string, unknown] => [name, describedSettings(value)]);
  const { label, hint } = part;
  const description = [label, hint].filter((text) => typeof text === "string").join(". ");
  const described =
    description === "" || "description" in part ? [] : [["description", description]];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a description is a text of any part
  return Object.fromEntries([...kept, ...described]) as Part;
}
