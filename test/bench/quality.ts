import { basename } from "node:path";

import { dataOf } from "../../src/cli/api/clients.ts";
import { filesOf, readCollection, type Collection } from "./support/collection.ts";
import { ask, pushFiles, startService, type Service } from "./support/fresh-service.ts";
import { meanOf, ndcg, recall } from "./support/ndcg.ts";
import { convexOf, reciprocalRanks, type RankedDocument } from "./support/other-fusions.ts";
import { timeCalls } from "./support/time-calls.ts";

const DEPTH = 10;
/** Some documents have several chunks: as many chunks as the API answers. */
const TOP_K = 100;
const DIMENSIONS = 384;
const MODEL = "local-embed/bge-small-en-v1.5";

/**
 * Pushes collections (docs.jsonl, queries.jsonl, qrels.tsv in each folder) as files into a fresh
 * service, waits until all are indexed, asks every query over HTTP and prints nDCG@10 and
 * recall@100 of Quarry's order, of words and vectors alone, and of other fusions of the two.
 * `--rerank` asks with reranking; `--embedder=ADDRESS` embeds with a server's model
 * (`--model=local-embed/NAME`, of 384 dimensions).
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const folders = args.filter((arg) => !arg.startsWith("--"));
  const valueOf = (name: string) =>
    args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  if (folders.length === 0) {
    throw new Error("usage: npm run bench -- quality FOLDER… [--rerank] [--embedder=ADDRESS]");
  }
  const collections = folders.map((folder): Named => {
    const { documents, queries, grades } = readCollection(folder);
    return { name: basename(folder), documents, queries, grades };
  });
  const embedder = valueOf("embedder");
  const vars =
    embedder === undefined
      ? []
      : [
          `EMBEDDING_BASE_URL:${embedder}`,
          `EMBEDDING_MODEL:${valueOf("model") ?? MODEL}`,
          `EMBEDDING_DIMENSIONS:${DIMENSIONS}`,
        ];
  const rags = collections.map(({ name }) => ({ name }));
  const { service, stop } = await startService(rags, { vars });
  try {
    const tables = [];
    for (const collection of collections) {
      const { name, documents } = collection;
      await pushFiles(service, name, filesOf(documents));
      const measures = await measure(service, collection, args.includes("--rerank"));
      console.error(name, documents.length, JSON.stringify(measures));
      tables.push(measures);
    }
    const means = meanOfTables(tables);
    console.table(means);
    return { collections: rags.map(({ name }) => name), means, tables };
  } finally {
    await stop();
  }
}

type Named = Collection & { name: string };
type Measures = Record<string, { ndcgAt10: number; recallAt100: number; p50Ms?: number }>;

async function measure(service: Service, collection: Named, rerank: boolean): Promise<Measures> {
  const { queries, grades } = collection;
  const orders: Record<string, string[][]> = {};
  const note = (method: string, order: string[]) => (orders[method] ??= []).push(order);
  const { p50Ms } = await timeCalls(queries, 1, async ({ text }) => {
    note("Quarry", await answerOf(service, collection.name, text, rerank));
  });
  for (const { text } of queries) {
    const words = await candidatesOf(service, collection.name, text, "keyword");
    const vectors = await candidatesOf(service, collection.name, text, "semantic");
    note(
      "words",
      words.map(({ id }) => id),
    );
    note(
      "vectors",
      vectors.map(({ id }) => id),
    );
    note("reciprocal ranks", reciprocalRanks(words, vectors));
    for (const [name, order] of convexOf(words, vectors)) note(name, order);
  }
  const measures = Object.entries(orders).map(([method, lists]) => {
    const gradesOf = (at: number) => grades.get(queries[at]?.id ?? "") ?? new Map<string, number>();
    const mean = (value: typeof ndcg, depth: number) =>
      meanOf(lists.map((list, at) => value([...new Set(list)], gradesOf(at), depth)));
    const figures = { ndcgAt10: mean(ndcg, DEPTH), recallAt100: mean(recall, TOP_K) };
    return [method, { ...figures, ...(method === "Quarry" && { p50Ms }) }] as const;
  });
  return Object.fromEntries(measures);
}

type Retrieved = { chunks: { source?: { filePath: string } }[] };
const documentOf = ({ source }: Retrieved["chunks"][number]) =>
  source?.filePath.replace(/\.md$/, "") ?? "";

async function answerOf(service: Service, rag: string, text: string, useReranking: boolean) {
  const body = { semanticSearch: [text], topK: TOP_K, useReranking, includeSources: true };
  const { chunks } = await ask<Retrieved>(service, `rags/${rag}/retrieve`, body);
  return chunks.map(documentOf);
}

/** The candidates of one leg, with its scores. */
async function candidatesOf(
  { api }: Service,
  id: string,
  text: string,
  searchMode: "keyword" | "semantic",
): Promise<RankedDocument[]> {
  const body = { semanticSearch: [text], topK: TOP_K, includeSources: true, searchMode };
  const params = { path: { id } };
  const { chunks } = await dataOf(api.POST("/rags/{id}/search", { params, body }));
  return chunks.map((chunk) => {
    const [query] = chunk.explanation?.queries ?? [];
    const leg = searchMode === "keyword" ? query?.lexical : query?.vector;
    return { id: documentOf(chunk), score: leg?.score ?? chunk.score };
  });
}

function meanOfTables(tables: Measures[]): Measures {
  const methods = Object.keys(tables[0] ?? {});
  const mean = (method: string, figure: "ndcgAt10" | "recallAt100") =>
    meanOf(tables.map((table) => table[method]?.[figure] ?? 0));
  return Object.fromEntries(
    methods.map((method) => [
      method,
      { ndcgAt10: mean(method, "ndcgAt10"), recallAt100: mean(method, "recallAt100") },
    ]),
  );
}
