import { below, wrong, type Checking, type Judged } from "./checking.ts";
import { isJsonObject, type JsonObject } from "./json-values.ts";

type JudgedObject = Judged<JsonObject>;

export function checkObject(checking: Checking, judged: JudgedObject): boolean {
  const names = Object.keys(judged.value);
  checking.budget.spend(names.length);
  const checks = [checkCount, checkRequired, checkNames, checkMembers];
  let isGood = true;
  for (const check of checks) isGood = check(checking, judged, names) && isGood;
  return isGood;
}

function checkCount(checking: Checking, { schema, at }: JudgedObject, names: string[]): boolean {
  const { minProperties, maxProperties } = schema;
  if (typeof minProperties === "number" && names.length < minProperties) {
    return wrong(checking, at, `must have at least ${minProperties} properties`);
  }
  if (typeof maxProperties === "number" && names.length > maxProperties) {
    return wrong(checking, at, `must have at most ${maxProperties} properties`);
  }
  return true;
}

function checkRequired(checking: Checking, { schema, value, at }: JudgedObject): boolean {
  const names: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  checking.budget.spend(names.length);
  let isGood = true;
  for (const name of names) {
    if (typeof name !== "string" || Object.hasOwn(value, name)) continue;
    isGood = wrong(checking, at, `must have the property "${name}"`);
  }
  return isGood;
}

function checkNames(checking: Checking, { schema, at }: JudgedObject, names: string[]): boolean {
  const { propertyNames } = schema;
  if (propertyNames === undefined) return true;
  let isGood = true;
  for (const name of names) {
    isGood = checking.follows(propertyNames, name, below(at, name)) && isGood;
  }
  return isGood;
}

/** Checks each member by its name, by matching patterns, or as an additional one. */
function checkMembers(checking: Checking, judged: JudgedObject, names: string[]): boolean {
  const { schema, value, at } = judged;
  const { properties, patternProperties, additionalProperties } = schema;
  const byName = isJsonObject(properties) ? properties : {};
  const byPattern = Object.entries(isJsonObject(patternProperties) ? patternProperties : {});
  let isGood = true;
  for (const name of names) {
    const schemas = byPattern
      .filter(([pattern]) => checking.index.patterns.get(pattern)?.(name, checking.budget))
      .map(([, inner]) => inner);
    if (Object.hasOwn(byName, name)) schemas.push(byName[name]);
    if (schemas.length === 0 && additionalProperties !== undefined) {
      schemas.push(additionalProperties);
    }
    for (const inner of schemas) {
      isGood = checking.follows(inner, value[name], below(at, name)) && isGood;
    }
  }
  return isGood;
}
