import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

import { buildAssets } from "./src/cli/build/build-assets.ts";
import { staticImports } from "./test/support/static-imports.ts";

// Vitest loads this file for each project.
if (process.env["ASSETS_ARE_BUILT"] === undefined) buildAssets();
process.env["ASSETS_ARE_BUILT"] = "true";
const migrations = await readD1Migrations("./migrations");
/** `GENERATED_REQUESTS=5000 vitest run …/oversized-fields.test.ts`: more than every run sends. */
const { EVERY_CRASH, GENERATED_REQUESTS, RANDOM_STEPS, SIMULATED_INTERVALS } = process.env;
const generated = {
  ...(GENERATED_REQUESTS === undefined ? {} : { GENERATED_REQUESTS }),
  ...(EVERY_CRASH === undefined ? {} : { EVERY_CRASH }),
  ...(RANDOM_STEPS === undefined ? {} : { RANDOM_STEPS }),
  ...(SIMULATED_INTERVALS === undefined ? {} : { SIMULATED_INTERVALS }),
};
/** What hangs ends; on a busy machine what is only slow must not. */
const timeouts = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
};
/** What nobody changes is bundled once, or each Worker of the tests loads 500 modules one by one. */
const deps = {
  optimizer: {
    ssr: {
      enabled: true,
      include: [
        "@ai-sdk/openai-compatible",
        "@ai-sdk/provider",
        "@cfworker/json-schema",
        "@eslint-community/regexpp",
        "@hono/swagger-ui",
        "@hono/zod-openapi",
        "ai",
        "aws4fetch",
        "drizzle-orm",
        "drizzle-orm/casing",
        "drizzle-orm/sqlite-core",
        "fflate",
        "hono",
        "hono/accepts",
        "hono/factory",
        "hono/html",
        "hono/http-exception",
        "hono/jsx",
        "hono/jsx/jsx-dev-runtime",
        "hono/jsx/jsx-runtime",
        "hono/route",
        "htmlparser2",
        "ipaddr.js",
        "jose",
        "oauth4webapi",
        "otpauth",
        "postal-mime",
        "stemmer",
        "zod",
      ],
    },
  },
};
/**
 * Tests that send requests to the whole Worker, whose queues deliver by themselves: what is late
 * could reach the next file, so those that count what was delivered have a Worker of their own.
 * All others share Workers: to start one and load the source takes longer than most files.
 */
const WHOLE_WORKER = "test/worker/{protocols,http,panel}/**/*.test.ts";
const ALONE = [
  "test/worker/http/generated-requests.test.ts",
  "test/worker/panel/overview-and-usage.test.ts",
];
const RESTORED = "./test/support/restore-after-tests.ts";
const inWorker = {
  // A new Worker would get all modules that it may need in one message, which is too large.
  fsModuleCache: false,
  setupFiles: [
    "./test/support/apply-migrations.ts",
    "./test/support/stop-after-batches.ts",
    RESTORED,
  ],
  deps,
  ...timeouts,
};
/** Each file drives a server of its own, with its own port and state, and mostly waits for it. */
const serverTests = {
  environment: "node" as const,
  // After all else.
  sequence: { groupOrder: 1 },
  maxWorkers: 4,
  // Each file would load the panel's pages and the doubles anew.
  isolate: false,
  globalSetup: ["./test/end-to-end/built-service.ts"],
  ...timeouts,
};
const workerWith = (bindings: Record<string, string>) => ({
  // Documents that Worker tests read as data URLs.
  assetsInclude: ["**/fixtures/documents/*"],
  resolve: {
    alias: [
      {
        find: /^.*\/password-cost\.ts$/,
        replacement: join(import.meta.dirname, "test/doubles/password-cost.ts"),
      },
    ],
  },
  plugins: [
    staticImports(),
    cloudflareTest({
      wrangler: { configPath: "./wrangler.toml" },
      // The tests say in X-Forwarded-For who calls.
      miniflare: {
        bindings: { TEST_MIGRATIONS: migrations, TRUSTED_PROXIES: "127.0.0.1", ...bindings },
      },
    }),
  ],
});

/** Files that take a minute or two: begun last, they would run on alone. */
const LONG =
  /\/(crash|push|start|preflight)\.test\.ts$|\/browser\/panel\.|\/(crashes|growth|ledger|generated-requests)\.test\.ts$/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    silent: "passed-only",
    // The default leaves one core of two idle; two leave a quarter of both, as tests also wait.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          setupFiles: [RESTORED],
          environment: "node",
          // A process of its own for each of 130 files took as long as half of the tests.
          isolate: false,
          // Documents make much that is short-lived: a larger young generation costs less.
          execArgv: ["--max-semi-space-size=64"],
          ...timeouts,
        },
      },
      {
        ...workerWith(generated),
        test: {
          name: "worker-alone",
          include: ALONE,
          ...inWorker,
        },
      },
      {
        ...workerWith(generated),
        test: {
          name: "worker-http",
          include: [WHOLE_WORKER],
          exclude: ALONE,
          isolate: false,
          ...inWorker,
        },
      },
      {
        // Tests that hold the queues in their own hand.
        ...workerWith(generated),
        test: {
          name: "worker",
          include: ["test/worker/**/*.test.ts"],
          exclude: [WHOLE_WORKER],
          isolate: false,
          ...inWorker,
          globalSetup: ["./test/doubles/aimock/serve.ts", "./test/doubles/object-storage/serve.ts"],
        },
      },
      {
        // All that ingests and retrieves once more, on Vectorize and Workers AI instead of what is
        // embedded. Not here: what is about one set of adapters (exact scans and memory of the
        // embedded index, other dimensions or models than the one of a Vectorize index, and the
        // tests that bring a Vectorize of their own), and what no vector touches (sources, claims,
        // extraction, rows that D1 reads, access, panel, catalogue, alarms).
        ...workerWith({ TEST_ADAPTERS: "production" }),
        test: {
          name: "worker-on-production-adapters",
          include: [
            "test/worker/ingestion/rebuilds/{during-a-build,growth,rebuild,return}.test.ts",
            "test/worker/ingestion/{crashes,untold-readers}.test.ts",
            "test/worker/ingestion/scanning/scopes.test.ts",
            "test/worker/journeys/random-steps.test.ts",
            "test/worker/rag-index/{duplicates,random-steps,writing}.test.ts",
            "test/worker/retrieval/{readers,retrieve,shards,told}.test.ts",
          ],
          isolate: false,
          ...inWorker,
        },
      },
      {
        test: {
          name: "end-to-end",
          include: ["test/end-to-end/**/*.test.ts", "test/witnesses/*.test.ts"],
          ...serverTests,
          globalSetup: ["./test/support/install-witnesses.ts", ...serverTests.globalSetup],
        },
      },
      {
        test: {
          name: "browser",
          // One file, so that all of it shares one server and one Chromium.
          include: ["test/browser/*.test.ts"],
          ...serverTests,
        },
      },
    ],
  },
});
