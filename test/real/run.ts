/**
 * `npm run test:real -- NAME…`, or `--all`: checks the service with real programs in place of our
 * doubles. None of them is needed to build, test or run; one that cannot be installed is skipped
 * with a sentence.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { NotInstalled, Tools, type Counterpart } from "./tools.ts";

const names = readdirSync(import.meta.dirname).filter((folder) =>
  existsSync(join(import.meta.dirname, folder, "counterpart.ts")),
);
const args: string[] = process.argv.slice(2);
const selection = args.includes("--all") ? names : args;
const unknown = selection.filter((name) => !names.includes(name));

async function runOne(name: string): Promise<string> {
  const { counterpart } = (await import(`./${name}/counterpart.ts`)) as {
    counterpart: Counterpart;
  };
  const tools = new Tools(name);
  console.log(`\n${name}: ${counterpart.about}`);
  try {
    const version = await counterpart.install(tools);
    console.log(`version ${version}`);
    await tools.check("it runs to its end", () => counterpart.check(tools));
  } catch (thrown) {
    if (!(thrown instanceof NotInstalled)) throw thrown;
    console.log(`skipped: ${thrown.message}`);
    return "skipped";
  } finally {
    await tools.close();
  }
  const failures = tools.results.filter(({ failure }) => failure !== null).length;
  if (failures > 0) process.exitCode = 1;
  return `${tools.results.length - failures} passed, ${failures} failed`;
}

if (selection.length === 0 || unknown.length > 0) {
  console.error(`usage: npm run test:real -- NAME… | --all\nnames: ${names.join(", ")}`);
  process.exitCode = 2;
} else {
  const lines: string[] = [];
  for (const name of selection) lines.push(`${name}: ${await runOne(name)}`);
  console.log(`\n${lines.join("\n")}`);
}
