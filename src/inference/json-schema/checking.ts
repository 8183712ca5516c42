import type { Budget } from "../../core/work/step-budget.ts";
import type { JsonObject } from "./json-values.ts";
import type { SchemaIndex } from "./schema-index.ts";
import { escaped } from "./subschemas.ts";

/** What of a value some keyword has looked at and found good. */
export type Evaluated = { names: Set<string>; items: Set<number> };

/** One check of one value, handed down through the schemas. */
export type Checking = {
  index: SchemaIndex;
  budget: Budget;
  findings: string[];
  /** Whether any `unevaluated…` asks for what was evaluated. */
  tracks: boolean;
  /** The options of each `enum` that was met, in their canonical form and as they are told. */
  options: Map<unknown, { known: Set<string>; told: string }>;
  /** Whether a value follows a schema; into `into` goes what it evaluated, if it does. */
  follows: (schema: unknown, value: unknown, at: string, into: Evaluated | null) => boolean;
};

/** One schema object and the value at hand. */
export type Judged<Value> = {
  schema: JsonObject;
  value: Value;
  /** Place of the value, a JSON pointer. */
  at: string;
  /** What this schema evaluates; null where nobody asks. */
  own: Evaluated | null;
};

const MOST_FINDINGS = 20;
const LONGEST_PLACE = 200;
/** Of a finding, and of a text that goes into one. */
export const LONGEST_FINDING = 500;

/** The place of a member; below a long one nothing is added, so that no place costs much. */
export function below(at: string, name: string | number): string {
  if (at.length > LONGEST_PLACE) return at;
  return `${at}/${typeof name === "number" ? name : escaped(name.slice(0, LONGEST_PLACE))}`;
}

/** Notes what is wrong; always false, for `return`. */
export function wrong({ findings }: Checking, at: string, finding: string): false {
  if (findings.length < MOST_FINDINGS) {
    findings.push(`${at}: ${finding.slice(0, LONGEST_FINDING)}`);
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
