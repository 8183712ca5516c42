import { env } from "cloudflare:workers";

import { BoundedBindings } from "../../src/adapters/cloudflare/bounded-bindings.ts";
import { jsonLog, type Log } from "../../src/core/log.ts";
import { MINUTE_MS } from "../../src/core/time.ts";
import type { Env } from "../../src/env.ts";
import { productionDoubles } from "./production-doubles.ts";

let now = () => Date.now();

/** Vectorize follows the clock of the world that was made last. */
export function followClock(clock: () => number): void {
  now = clock;
}

/**
 * The bindings that a suite runs on: the local default, or, in the project that says so, Vectorize
 * and Workers AI. The tests of one file share their storage, and so their Vectorize.
 */
export const testedEnv: Env =
  env.TEST_ADAPTERS === "production"
    ? Object.assign(
        { ...env },
        productionDoubles(MINUTE_MS, () => now()),
      )
    : env;

export const usesVectorize = testedEnv.VECTORIZE !== undefined;

const patience = { isLocal: true, suspect: () => undefined, putSeconds: 600 };

/** On a slow machine, a `put` that is only late is not taken for a full disk. */
export const testedFiles = new BoundedBindings(patience).bucket(testedEnv.FILES);

/** Shown only where a test fails. */
export const problems: Log = { ...jsonLog(), info: () => undefined, with: () => problems };
