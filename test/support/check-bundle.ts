/**
 * Builds what would be deployed, offline, for each environment: it must build without a warning,
 * stay below its size bar, and start within its bar of processor time.
 */
import { ENVIRONMENTS, type EnvironmentName } from "../../src/cli/deploy/wrangler-command.ts";
import { bundleSizes } from "./bundle-sizes.ts";
import { profileStarts, STARTUP_BAR_MS, sumOf } from "./startup-profile.ts";

/** Far below every limit of the platform: what a mistake adds shows here first. A fifth is CMaps for PDFs. */
const GZIP_BAR_KIB = 1_850;
/** A quiet machine needs one. */
const MAX_STARTS = 8;

function problemsOf(environment: EnvironmentName): string[] {
  try {
    const { gzipKib, said } = bundleSizes(environment);
    return [
      ...(said.includes("WARNING") ? [`a warning:\n${said}`] : []),
      ...(gzipKib < GZIP_BAR_KIB ? [] : [`${gzipKib} KiB compressed, the bar is ${GZIP_BAR_KIB}`]),
    ];
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)];
  }
}

function startProblems(): string[] {
  const within = (parts: Map<string, number>) => sumOf(parts) < STARTUP_BAR_MS;
  const [best = new Map<string, number>()] = profileStarts(MAX_STARTS, within);
  if (within(best)) return [];
  return [`the best of ${MAX_STARTS} starts took ${Math.round(sumOf(best))} ms of processor`];
}

const problems = [
  ...ENVIRONMENTS.flatMap((name) => problemsOf(name).map((problem) => `${name}: ${problem}`)),
  ...startProblems(),
];
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;
