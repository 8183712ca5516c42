import Table from "cli-table3";

import { FollowedSource } from "../doubles/source/followed-source.ts";
import { ScriptedSource } from "../doubles/source/scripted-source.ts";
import { EVERYTHING_INDEXED, scan, withSource } from "./support/scan-world.ts";

const SIZES = [1_000, 10_000, 100_000];
const CHANGED = 10;
const SOURCES = { "lists its files": ScriptedSource, "has a change feed": FollowedSource };

async function measure(source: keyof typeof SOURCES, size: number) {
  return await withSource(async (bindings) => {
    const pathOf = (at: number) => `folder-${at % 100}/file-${at}.md`;
    const files = Array.from({ length: size }, (_, at) => [pathOf(at), `Text ${at}.`] as const);
    const reader = new SOURCES[source](Object.fromEntries(files));
    await scan(bindings, () => reader);
    await bindings.DB.prepare(EVERYTHING_INDEXED).run();
    for (let at = 0; at < CHANGED; at++) {
      const path = pathOf(Math.floor((at * size) / CHANGED));
      const text = `Changed ${at}.`;
      if (reader instanceof FollowedSource) reader.change(path, text);
      else reader.files.set(path, { text });
    }
    const costs = await scan(bindings, () => reader);
    return { source, files: size, changed: CHANGED, ...costs };
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
  for (const size of sizes) {
    results.push(await measure("lists its files", size), await measure("has a change feed", size));
  }
  const table = new Table({ head: Object.keys(results[0] ?? {}) });
  for (const result of results) table.push(Object.values(result));
  console.log(table.toString());
  return { results };
}
