import { Budget, BudgetSpent } from "../../core/work/step-budget.ts";
import { checkValue } from "./check-value.ts";
import { isTooDeep, type JsonObject } from "./json-values.ts";
import { TOO_DEEP } from "./keywords.ts";
import { SchemaIndex, SchemaError } from "./schema-index.ts";

/** One finding a line; empty for a valid value. Values may share a budget. @throws BudgetSpent */
export type FindingsOf = (value: unknown, budget?: Budget) => string[];

/** About a second. An ordinary answer takes some thousands. */
const MAX_STEPS = 4_000_000;

export const checkingBudget = () => new Budget(MAX_STEPS);

const DIALECT = /^https?:\/\/json-schema\.org\/draft(?:\/2020-12|\/2019-09|-0[67])\/schema#?$/;

/**
 * A validator without `eval`, in counted steps: core, applicator and validation of draft 2020-12
 * with checked formats, and lists in `items` as until 2019-09. `UNSUPPORTED` keywords, references
 * other than JSON pointers within the schema, and own dialects are refused. @throws SchemaError
 */
export function readJsonSchema(schema: JsonObject): FindingsOf {
  if (isTooDeep(schema)) throw new SchemaError(TOO_DEEP);
  const { $schema: dialect = "" } = schema;
  if (typeof dialect === "string" && dialect !== "" && !DIALECT.test(dialect)) {
    throw new SchemaError("names a $schema that is not supported");
  }
  const index = new SchemaIndex(schema);
  return (value, budget = checkingBudget()) => {
    if (isTooDeep(value)) throw new BudgetSpent();
    return checkValue(index, schema, value, budget);
  };
}
