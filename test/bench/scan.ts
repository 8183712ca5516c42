import Table from "cli-table3";

import { ScriptedSource } from "../doubles/source/scripted-source.ts";
import { EVERYTHING_INDEXED, scan, withSource } from "./support/scan-world.ts";

const SIZES = [1_000, 10_000, 100_000];
const CHANGED = 10;

async function measure(size: number) {
  return await withSource(async (bindings) => {
    const pathOf = (at: number) => `folder-${at % 100}/file-${at}.md`;
    const files = Array.from({ length: size }, (_, at) => [pathOf(at), `Text ${at}.`] as const);
    const reader = new ScriptedSource(Object.fromEntries(files));
    await scan(bindings, () => reader);
    await bindings.DB.prepare(EVERYTHING_INDEXED).run();
    for (let at = 0; at < CHANGED; at++) {
      reader.files.set(pathOf(Math.floor((at * size) / CHANGED)), { text: `Changed ${at}.` });
    }
    return { files: size, changed: CHANGED, ...(await scan(bindings, () => reader)).costs };
  });
}

/**
 * `npm run bench -- scan [SIZE…]`: what a scan costs as its source grows, of which 10 files
 * changed: rows that D1 reports, D1 and R2 calls, queue messages, and the time (from Node, so
 * with a hop for each call). The source lists 1,000 files a page, from memory.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const sizes = args.length === 0 ? SIZES : args.map(Number);
  const results: Awaited<ReturnType<typeof measure>>[] = [];
  for (const size of sizes) results.push(await measure(size));
  const [first] = results;
  const table = new Table({ head: Object.keys(first ?? {}) });
  for (const result of results) table.push(Object.values(result));
  console.log(table.toString());
  return { results };
}
