import { filesOf, readCollection, type Collection } from "./support/collection.ts";
import { ask, pushFiles, startService, type Service } from "./support/fresh-service.ts";
import { ndcg } from "./support/ndcg.ts";
import { timeCalls } from "./support/time-calls.ts";

const DEPTH = 10;
/** Some documents have several chunks: ask for more chunks than documents are counted. */
const TOP_K = 30;

/**
 * Pushes a collection (docs.jsonl, queries.jsonl, qrels.tsv in the folder given) as files into a
 * fresh service, waits until all are indexed, asks every query over HTTP and prints nDCG@10.
 * `--rerank` asks with reranking.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const folder = args.find((arg) => !arg.startsWith("--"));
  if (folder === undefined) throw new Error("usage: npm run bench -- quality FOLDER [--rerank]");
  const collection = readCollection(folder);
  const { service, stop } = await startService();
  try {
    await pushFiles(service, "bench", filesOf(collection.documents));
    const quality = await askAll(service, collection, args.includes("--rerank"));
    const result = { documents: collection.documents.length, ...quality };
    console.table([result]);
    return result;
  } finally {
    await stop();
  }
}

type Retrieved = { chunks: { source: { filePath: string } }[] };

async function askAll(service: Service, collection: Collection, useReranking: boolean) {
  let sum = 0;
  const { p50Ms } = await timeCalls(collection.queries, 1, async ({ id, text }) => {
    const body = { semanticSearch: [text], topK: TOP_K, useReranking, includeSources: true };
    const { chunks } = await ask<Retrieved>(service, "rags/bench/retrieve", body);
    const files = chunks.map(({ source }) => source.filePath.replace(/\.md$/, ""));
    sum += ndcg([...new Set(files)], collection.grades.get(id) ?? new Map(), DEPTH);
  });
  const { length: queries } = collection.queries;
  return { queries, ndcgAt10: Number((sum / queries).toFixed(4)), p50Ms };
}
