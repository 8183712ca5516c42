import { array, assert, asyncProperty, boolean, constantFrom, nat, record } from "fast-check";

import { SEED } from "../../support/seed.ts";

/** A kind of change, and two numbers that choose what it is done to. */
export type Step = { kind: string; pick: number; variant: number };

/** `RANDOM_SCHEDULES=500 PROPERTY_SEED=$RANDOM` tries more, and others. */
export const numRuns = Number(process.env["RANDOM_SCHEDULES"] ?? 60);

/** Runs steps of these kinds, in many orders. */
export async function inAnyOrder(
  kinds: string,
  maxLength: number,
  run: (steps: Step[], flag: boolean) => Promise<void>,
): Promise<void> {
  const kind = constantFrom(...kinds.split(" "));
  const step = record({ kind, pick: nat({ max: 50 }), variant: nat({ max: 50 }) });
  const schedules = array(step, { minLength: 5, maxLength, size: "max" });
  await assert(asyncProperty(schedules, boolean(), run), { numRuns, seed: SEED });
}
