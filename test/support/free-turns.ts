import { Turns, type CallerTurns } from "../../src/core/work/turns.ts";

/** Turns of a caller that never waits. */
export const freeTurns = (): CallerTurns => ({
  caller: "",
  searches: new Turns({ atOnce: 100, waiting: 0 }),
  pass: async () => undefined,
});
