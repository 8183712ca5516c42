import type { Budget } from "../../core/work/step-budget.ts";
import type { JsonObject } from "./json-values.ts";
import type { SchemaIndex } from "./schema-index.ts";
import { escaped } from "./keywords.ts";

/** One check of one value, handed down through the schemas. */
export type Checking = {
  index: SchemaIndex;
  budget: Budget;
  findings: string[];
  /** The options of each `enum` seen so far, in canonical form and as messages show them. */
  options: Map<unknown, { known: Set<string>; told: string }>;
  follows: (schema: unknown, value: unknown, at: string) => boolean;
};

/** One schema object and the value that it is applied to. */
export type Judged<Value> = {
  schema: JsonObject;
  value: Value;
  /** Location of the value, a JSON pointer. */
  at: string;
};

const MAX_FINDINGS = 20;
const MAX_PLACE_LENGTH = 200;
/** Characters of a finding, and of a text quoted in one. */
export const MAX_FINDING_LENGTH = 500;

/** The location of a member; a long location is not extended, which bounds its cost. */
export function below(at: string, name: string | number): string {
  if (at.length > MAX_PLACE_LENGTH) return at;
  return `${at}/${typeof name === "number" ? name : escaped(name.slice(0, MAX_PLACE_LENGTH))}`;
}

/** Records a finding; always false, for `return`. */
export function wrong({ findings }: Checking, at: string, finding: string): false {
  if (findings.length < MAX_FINDINGS) {
    findings.push(`${at}: ${finding.slice(0, MAX_FINDING_LENGTH)}`);
  }
  return false;
}

/** Runs a check; its findings are dropped if its outcome is `result`. */
export function quietly(checking: Checking, check: () => boolean, result?: boolean): boolean {
  const { length } = checking.findings;
  const outcome = check();
  if (result === undefined || outcome === result) checking.findings.length = length;
  return outcome;
}
