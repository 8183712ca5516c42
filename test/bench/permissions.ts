import { join } from "node:path";

import { postJson } from "./support/post-json.ts";
import { textOf } from "./support/synthetic-text.ts";
import { medianOf } from "./support/time-calls.ts";
import { startWorkerd } from "./support/workerd.ts";

const WORKER = join(import.meta.dirname, "support/permissions-worker.ts");
const FILES = 100_000;
const FILLED_AT_ONCE = 2_000;
const AUDIENCES = 1_000;
const GROUPS = 1_000;
const SHARED = 5_000;
const SEARCHES = 30;
const TOP_K = 10;
/** Shares of the audiences that a reader is in: few files are scanned, many are named by Vectorize. */
const BREADTHS = [0.02, 0.25, 0.35, 0.5, 0.9];
const RECALLED = 8;

/** Groups of a reader, of which a share are some file's. */
const groupsOf = (share: number) =>
  Array.from({ length: GROUPS }, (_, at) => {
    const isOurs = at < share * AUDIENCES;
    return `group:${isOurs ? Math.floor(at / share) : AUDIENCES + at}`;
  });

/**
 * `npm run bench -- permissions [FILES]`: what a search for a reader costs against one without
 * permissions, on the built-in index and where Vectorize finds the nearest, what it finds there of
 * the exact best, and how soon a folder that is shared to one more person is found by that person.
 * Files of a passage each, 1,000 audiences; the reader names 1,000 groups, half of them some file's.
 */
export async function run([filesArgument]: string[]): Promise<Record<string, unknown>> {
  const files = filesArgument === undefined ? FILES : Number(filesArgument);
  const durableObject = { binding: "RAG_INDEX", className: "RagIndex" };
  const { address, stop } = await startWorkerd(WORKER, { durableObject });
  const ask = async <Answer>(body: object) => await postJson<Answer>(address, body);
  const search = async (verb: "search" | "near", nth: number, principals?: string[]) => {
    const query = textOf(nth * 7, 4);
    const startedAt = performance.now();
    const { ids } = await ask<{ ids: string[] }>({ verb, query, principals });
    return { ms: performance.now() - startedAt, ids };
  };
  /** One after the other, so that what else the machine does slows both. */
  const compare = async (verb: "search" | "near") => {
    const groups = groupsOf(0.5);
    const [open, permitted]: [number[], number[]] = [[], []];
    for (let nth = 0; nth <= SEARCHES; nth++) {
      open.push((await search(verb, nth)).ms);
      permitted.push((await search(verb, nth, groups)).ms);
    }
    // The first ones load what is kept in memory.
    const [openMs, permittedMs] = [medianOf(open.slice(1)), medianOf(permitted.slice(1))];
    return { openMs, permittedMs, factor: permittedMs / openMs };
  };
  const recallAt = async (share: number) => {
    const groups = groupsOf(share);
    let hits = 0;
    for (let nth = 1; nth <= RECALLED; nth++) {
      const exact = new Set((await search("search", nth, groups)).ids.slice(0, TOP_K));
      hits += (await search("near", nth, groups)).ids.filter((id) => exact.has(id)).length;
    }
    return hits / (RECALLED * TOP_K);
  };
  try {
    for (let from = 0; from < files; from += FILLED_AT_ONCE) {
      await ask({ verb: "fill", from, to: Math.min(files, from + FILLED_AT_ONCE) });
    }
    const [embedded, vectorize] = [await compare("search"), await compare("near")];
    const recall: Record<string, number> = {};
    for (const share of BREADTHS) recall[share] = await recallAt(share);
    const count = Math.min(SHARED, Math.floor(files / 20));
    const startedAt = performance.now();
    const rows = await ask<number>({ verb: "share", from: 2, to: count });
    const shared = await search("search", 1, ["user:new"]);
    const sharedMs = performance.now() - startedAt;
    console.table({ embedded, vectorize });
    return { files, embedded, vectorize, recall, count, sharedMs, rows, found: shared.ids.length };
  } finally {
    await stop();
  }
}
