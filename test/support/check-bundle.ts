/**
 * Builds what would be deployed, offline, for each environment: it must build without a warning,
 * stay below its size bar, and evaluate little at its start. `npm run bench startup` measures time.
 */
import { ENVIRONMENTS, type EnvironmentName } from "../../src/cli/deploy/wrangler-command.ts";
import { bundleSizes } from "./bundle-sizes.ts";

/** Far below every limit of the platform: what a mistake adds shows here first. A fifth is CMaps for PDFs. */
const GZIP_BAR_KIB = 1_970;
/** A tenth above what a start evaluates now. A module that only some events need is imported by them. */
const START_BARS = { modules: 550, kib: 1_250 };

function problemsOf(environment: EnvironmentName): string[] {
  try {
    const { gzipKib, output, start, replaced } = bundleSizes(environment);
    const isSmall = start.modules < START_BARS.modules && start.kib < START_BARS.kib;
    const evaluated = `${start.modules} modules of ${start.kib} KiB are evaluated at the start`;
    return [
      ...(output.includes("WARNING") ? [`a warning:\n${output}`] : []),
      ...replaced.map((path) => `${path} is in the bundle, though wrangler.toml replaces it`),
      ...(gzipKib < GZIP_BAR_KIB ? [] : [`${gzipKib} KiB compressed, the bar is ${GZIP_BAR_KIB}`]),
      ...(isSmall
        ? []
        : [`${evaluated}, the bars are ${START_BARS.modules} and ${START_BARS.kib}`]),
    ];
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)];
  }
}

const problems = ENVIRONMENTS.flatMap((name) =>
  problemsOf(name).map((problem) => `${name}: ${problem}`),
);
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;
