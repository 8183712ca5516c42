import type { D1Migration } from "cloudflare:test";

import type { Env as Bindings } from "../../src/env.ts";
import type * as worker from "../../src/index.ts";

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof worker;
    }
    interface Env extends Bindings {
      TEST_MIGRATIONS: D1Migration[];
      /** `production`: the suite runs on Vectorize and Workers AI. */
      TEST_ADAPTERS?: string;
      /** How many oversized requests are sent, where a few are not enough. */
      GENERATED_REQUESTS?: string;
      /** Set: workers die at each call, not at every third or so. */
      EVERY_CRASH?: string;
      /** How many times the steps random tests of permissions take. */
      RANDOM_STEPS?: string;
      /** How many intervals between scans a simulated drive lives. */
      SIMULATED_INTERVALS?: string;
    }
  }
  interface ImportMeta {
    /** https://vite.dev/guide/features.html#glob-import */
    glob(pattern: string, options: { eager: true }): Record<string, unknown>;
  }
}
