import { bytesOfVectors, MEMORY_LIMIT_BYTES } from "../../../src/rag-index/memory/vector-memory.ts";
import { startBundledService } from "./bundled-service.ts";
import { filesOf } from "./collection.ts";
import type { Collection } from "./collection.ts";
import { fillRags } from "./local-service.ts";
import { ndcg } from "./ndcg.ts";

const DIMENSIONS = 1_024;
const DEPTH = 10;
/** Some documents have several chunks: ask for more chunks than documents are counted. */
const TOP_K = 30;
const NEIGHBOURS = 100;
/** Filling the memory with more copies of a small collection would take too long. */
const RAGS_MOST = 6;
const RATE_LIMIT = "10000";

/** What one RAG answers: for each query the passages of a hybrid search and the neighbours. */
type Answers = { hybrid: string[][]; neighbours: string[][]; degraded: number };
type Asked = { name: string; answers: Answers };
type Service = { url: URL; token: string };

type Found = {
  chunks: { source: { filePath: string; position: number } }[];
  degraded?: unknown;
};

async function ask({ url, token }: Service, rag: string, body: object): Promise<Found> {
  const reply = await fetch(new URL(`/api/rags/${rag}/retrieve`, url), {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "CF-Connecting-IP": "192.0.2.1" },
    body: JSON.stringify({ ...body, includeSources: true }),
  });
  if (!reply.ok) throw new Error(`${rag}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as Found;
}

const named = ({ chunks }: Found) =>
  chunks.map(({ source: { filePath, position } }) => `${filePath} ${position}`);

/** Every query is asked of all RAGs in turn, so that each keeps the memory that it has. */
async function answersOf(
  service: Service,
  { queries }: Collection,
  rags: string[],
): Promise<Answers[]> {
  const all = rags.map((): Answers => ({ hybrid: [], neighbours: [], degraded: 0 }));
  for (const { text } of queries) {
    for (const [at, rag] of rags.entries()) {
      const semanticSearch = [text];
      const hybrid = await ask(service, rag, { semanticSearch, topK: TOP_K });
      const semantic = { semanticSearch, topK: NEIGHBOURS, searchMode: "semantic" };
      const neighbours = await ask(service, rag, { ...semantic, includeDuplicates: true });
      const answers = all[at];
      answers?.hybrid.push(named(hybrid));
      answers?.neighbours.push(named(neighbours));
      const lost = [hybrid, neighbours].filter(({ degraded }) => degraded !== undefined);
      if (answers !== undefined) answers.degraded += lost.length;
    }
  }
  return all;
}

async function withService<Result>(
  bindings: Record<string, string>,
  work: (url: URL) => Promise<Result>,
): Promise<Result> {
  const service = await startBundledService({ RATE_LIMIT_API: RATE_LIMIT, ...bindings });
  try {
    return await work(service.url);
  } finally {
    await service.stop();
  }
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const rounded = (value: number) => Number(value.toFixed(4));

const share = (
  lists: string[][],
  others: string[][],
  isSame: (a: string[], b: string[]) => boolean,
) => rounded(mean(lists.map((list, at) => (isSame(list, others[at] ?? []) ? 1 : 0))));

const isSameList = (a: string[], b: string[]) => a.join("\n") === b.join("\n");

function recall(found: string[], truth: string[]): number {
  const wanted = new Set(truth);
  return wanted.size === 0 ? 1 : found.filter((one) => wanted.has(one)).length / wanted.size;
}

function rowOf({ queries, grades }: Collection, { name, answers }: Asked, truth: Answers) {
  const scores = queries.map(({ id }, at) => {
    const files = (answers.hybrid[at] ?? []).map((one) => one.replace(/\.md \d+$/, ""));
    return ndcg([...new Set(files)], grades.get(id) ?? new Map(), DEPTH);
  });
  const first = (lists: string[][]) => lists.map((list) => list.slice(0, DEPTH));
  const recalls = answers.neighbours.map((list, at) => recall(list, truth.neighbours[at] ?? []));
  return {
    vectors: name,
    ndcgAt10: rounded(mean(scores)),
    same10: share(first(answers.hybrid), first(truth.hybrid), isSameList),
    same30: share(answers.hybrid, truth.hybrid, isSameList),
    recallAt100: rounded(mean(recalls)),
    leastRecall: rounded(Math.min(...recalls)),
    degraded: answers.degraded,
  };
}

/**
 * One collection through the whole service, for each place where vectors are searched: the share of
 * queries with the same passages in the same order as `embedded` with whole vectors, which is the
 * exact scan, and the recall of its 100 nearest neighbours. With `auto` so many RAGs hold the
 * collection that the last one finds no memory for whole vectors.
 */
export async function comparePlaces(collection: Collection): Promise<Record<string, unknown>[]> {
  const documents = filesOf(collection.documents);
  const asked: Asked[] = [];
  let passages = 0;
  const alone = async (vectorIndex: string) => {
    const [answers] = await withService({ VECTOR_INDEX: vectorIndex }, async (url) => {
      const { token, count } = await fillRags(url, documents);
      passages = count;
      return answersOf({ url, token }, collection, ["bench"]);
    });
    if (answers !== undefined) asked.push({ name: vectorIndex, answers });
  };
  await alone("embedded");
  const whole = Math.floor(MEMORY_LIMIT_BYTES / bytesOfVectors(passages, DIMENSIONS));
  const rags = Array.from({ length: Math.min(whole + 1, RAGS_MOST) }, (_, at) => `bench${at}`);
  const answers = await withService({ VECTOR_INDEX: "auto" }, async (url) =>
    answersOf({ url, ...(await fillRags(url, documents, rags)) }, collection, rags),
  );
  for (const [at, one] of answers.entries()) {
    const name = at < whole ? `auto, whole (${at + 1})` : "auto, bits";
    asked.push({ name, answers: one });
  }
  await alone("vectorize");
  const [truth] = asked;
  return truth === undefined ? [] : asked.map((one) => rowOf(collection, one, truth.answers));
}
