import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** `npm run bench -- growth [TEXTS [SEED]]`: the test of growth with more texts of each grammar. */
export async function run([texts = "40", seed = "2"]: string[]): Promise<Record<string, unknown>> {
  const env = { ...process.env, GROWTH: texts, GROWTH_SEED: seed };
  const vitest = join(ROOT, "node_modules/.bin/vitest");
  const { status } = spawnSync(vitest, ["run", "test/unit/growth"], {
    cwd: ROOT,
    env,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
  return { texts: Number(texts), seed: Number(seed), passed: status === 0 };
}
