import { join } from "node:path";
import Table from "cli-table3";

import { startWorkerd } from "./support/workerd.ts";
import { textOf } from "./support/synthetic-text.ts";

const WORKER = join(import.meta.dirname, "support/permissions-worker.ts");
const FILES = 100_000;
const FILLED_AT_ONCE = 2_000;
const GROUPS = 1_000;
const SHARED = 5_000;
const SEARCHES = 30;

/**
 * `npm run bench -- permissions [FILES]`: what a search for a reader costs against one without
 * permissions, and how soon a folder that is shared to one more person is found by that person.
 * One index of files of a passage each, 1,000 audiences; the reader names 1,000 groups, of which
 * half are some file's.
 */
export async function run([given]: string[]): Promise<Record<string, unknown>> {
  const files = given === undefined ? FILES : Number(given);
  const durableObject = { binding: "RAG_INDEX", className: "RagIndex" };
  const { address, stop } = await startWorkerd(WORKER, { durableObject });
  const ask = async <Answer>(body: object): Promise<Answer> => {
    const response = await fetch(address, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  try {
    for (let from = 0; from < files; from += FILLED_AT_ONCE) {
      await ask({ verb: "fill", from, to: Math.min(files, from + FILLED_AT_ONCE) });
    }
    const groups = Array.from({ length: GROUPS }, (_, at) => `group:${2 * at}`);
    const search = async (nth: number, principals?: string[]) => {
      const query = textOf(nth * 7, 4);
      const startedAt = performance.now();
      const { ids } = await ask<{ ids: string[] }>({ verb: "search", query, principals });
      return { ms: performance.now() - startedAt, ids };
    };
    const median = async (principals?: string[]) => {
      await search(0, principals);
      const times: number[] = [];
      for (let nth = 1; nth <= SEARCHES; nth++) times.push((await search(nth, principals)).ms);
      return times.toSorted((a, b) => a - b)[SEARCHES / 2] ?? 0;
    };
    const open = await median();
    const permitted = await median(groups);
    const count = Math.min(SHARED, Math.floor(files / 20));
    const startedAt = performance.now();
    const rows = await ask<number>({ verb: "share", from: 2, to: count });
    const shared = await search(1, ["user:new"]);
    const sharedMs = performance.now() - startedAt;
    const table = new Table({
      head: ["files", "open ms", "reader ms", "factor", "shared", "ms", "rows"],
    });
    const factor = permitted / open;
    const figures = [open.toFixed(1), permitted.toFixed(1), factor.toFixed(2)];
    table.push([files, ...figures, count, sharedMs.toFixed(0), rows]);
    console.log(table.toString());
    return {
      files,
      open,
      permitted,
      factor,
      shared: count,
      sharedMs,
      rows,
      found: shared.ids.length,
    };
  } finally {
    await stop();
  }
}
