import type { Rule } from "./rule.ts";
import { agentsAndWebhooks } from "./rules/agents-and-webhooks.ts";
import { authentication } from "./rules/authentication.ts";
import { errorsAndLimits } from "./rules/errors-and-limits.ts";
import { headers } from "./rules/headers.ts";
import { inferenceFiles } from "./rules/inference-files.ts";
import { inferences } from "./rules/inferences.ts";
import { rags } from "./rules/rags.ts";
import { resources } from "./rules/resources.ts";
import { states } from "./rules/states.ts";

/** The specification as a table: one entry a rule, in its order. */
export const RULES: Rule[] = [
  ...resources,
  ...states,
  ...rags,
  ...inferences,
  ...inferenceFiles,
  ...agentsAndWebhooks,
  ...authentication,
  ...errorsAndLimits,
  ...headers,
];

/** Why a rule cannot be shown by this service; null when it can. */
export function whyNot(rule: Rule, can: Record<NonNullable<Rule["needs"]>, boolean>) {
  return rule.needs === undefined || can[rule.needs] ? null : `needs: ${rule.needs}`;
}
