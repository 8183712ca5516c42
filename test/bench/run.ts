/** `npm run bench -- NAME [ARGUMENTS]`: each benchmark prints one table and one JSON line. */
import { readdirSync } from "node:fs";

import { buildAssets } from "../../src/cli/build/build-assets.ts";

type Benchmark = { run: (args: string[]) => Promise<Record<string, unknown>> };

const NOT_BENCHMARKS = new Set(["run.ts"]);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && !NOT_BENCHMARKS.has(file))
  .map((file) => file.slice(0, -".ts".length));
const [name, ...args] = process.argv.slice(2);

if (name === undefined || !names.includes(name)) {
  console.error(`usage: npm run bench -- NAME [ARGUMENTS]\nbenchmarks: ${names.join(", ")}`);
  process.exitCode = 2;
} else {
  buildAssets();
  const { run } = (await import(`./${name}.ts`)) as Benchmark;
  console.log(JSON.stringify({ benchmark: name, ...(await run(args)) }));
}
