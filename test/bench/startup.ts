import { bundleSizes, SIZE_LIMITS } from "../support/bundle-sizes.ts";
import { profileStarts, STARTUP_BAR_MS, sumOf } from "../support/startup-profile.ts";

const RUNS = 5;
const PARTS_SHOWN = 10;

/** `npm run bench -- startup`: processor time of the production bundle's start, and its size. */
export async function run(): Promise<Record<string, unknown>> {
  const runs = profileStarts(RUNS, () => false);
  const [best = new Map<string, number>()] = runs;
  const parts = [...best].sort(([, a], [, b]) => b - a).slice(0, PARTS_SHOWN);
  console.table(
    [...parts, ["all", sumOf(best)] as const].map(([part, ms]) => ({ part, ms: ms.toFixed(1) })),
  );
  const { kib, gzipKib } = bundleSizes("production");
  console.log(`${kib} KiB, ${gzipKib} compressed (limits: ${SIZE_LIMITS})`);
  const activeMs = Math.round(sumOf(best));
  if (activeMs > STARTUP_BAR_MS) {
    console.error(`${activeMs} ms, the bar is ${STARTUP_BAR_MS}`);
    process.exitCode = 1;
  }
  const all = runs.map((entry) => Math.round(sumOf(entry)));
  return { activeMs, barMs: STARTUP_BAR_MS, runs: all, kib, gzipKib };
}
