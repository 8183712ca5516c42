import { strict as assert } from "node:assert";

import type { Answer } from "./client.ts";
import type { World } from "./world.ts";

/** One rule of the specification and the check that fails when it is broken. */
export type Rule = {
  section: string;
  rule: string;
  check: (world: World) => Promise<void>;
  /** A capability that not every service has; without it the rule is skipped. */
  needs?: "failing model" | "failing reranker" | "own addresses";
};

/** Rules of one section, in the order of the specification. */
export function section(name: string, rules: Record<string, Rule["check"]>): Rule[] {
  return Object.entries(rules).map(([rule, check]) => ({ section: name, rule, check }));
}

export const needing = (needs: NonNullable<Rule["needs"]>, rules: Rule[]): Rule[] =>
  rules.map((rule) => Object.assign({}, rule, { needs }));

/** An answer is exactly this status and body. */
export function assertIs(answer: Answer, status: number, body: unknown): void {
  assert.deepEqual({ status: answer.status, body: answer.body }, { status, body });
}

/** An answer is this 400, which names what fails. */
export const isInvalid = (answer: Answer, problems: string) =>
  assertIs(answer, 400, { error: `Invalid request: ${problems}` });

/** A success; its body is what the caller says it is. */
export function ok<Body>(answer: Answer): Body {
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  return answer.body as Body;
}

export const keysOf = (value: unknown): string[] => Object.keys(value as object).sort();

export { assert };
