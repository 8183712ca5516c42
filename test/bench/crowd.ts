import { startBundledService } from "./support/bundled-service.ts";
import { fillRags, madeUp, signIn, type PushedText } from "./support/local-service.ts";

const BINDINGS = { RATE_LIMIT_API: "10000", USAGE_WAIT_MS: "1000" };
const DEFAULT_FILES = 100;
const PASSAGES_A_FILE = 100;
const SMALL_FILES = 10;
const HEAVY_CALLS = 12;
const SECONDS = 10;
const QUERIES = 10;
const LONG_CHARACTERS = 16_000;
const SINGLE_CALLS = 15;
/** Of RETRIEVAL_TIMEOUT_MS. */
const DEADLINE_MS = 8_000;

/** Long files; every third passage is one of ten notes that all of them repeat. */
function longFiles(count: number): PushedText[] {
  const notes = madeUp(10, 1_000_000).map(({ text }) => `Note. ${text}`);
  return Array.from({ length: count }, (_, file) => {
    const own = madeUp(PASSAGES_A_FILE, file * PASSAGES_A_FILE);
    const text = own
      .map((passage, at) =>
        at % 3 === 0 ? (notes[(file + at) % notes.length] ?? "") : passage.text,
      )
      .join("\n\n");
    return { path: `${file}.txt`, text };
  });
}

const quantile = (sorted: number[], share: number) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);

function told(times: number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    calls: times.length,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    max: Math.round(sorted.at(-1) ?? 0),
  };
}

type Answered = { ms: number; status: number; degraded: boolean };

/** A caller of one RAG. */
const searching =
  (url: URL, path: string, token: string, base: object = { useAllFiles: true }) =>
  async (body: Record<string, unknown>): Promise<Answered> => {
    const startedAt = performance.now();
    const response = await fetch(new URL(path, url), {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({ ...base, ...body }),
    });
    const answer = (await response.json()) as { degraded?: unknown };
    const ms = performance.now() - startedAt;
    return { ms, status: response.status, degraded: answer.degraded !== undefined };
  };

type Search = ReturnType<typeof searching>;
const FILTER = { providerFilter: [{ field: "mimeType", values: ["text/plain"] }] };
const wordsOf = (seed: number, count: number) => {
  const words = madeUp(1 + Math.ceil(count / 200), seed).map(({ text }) => text);
  return words.join(" ").split(" ").slice(0, count).join(" ");
};
const queries = (seed: number, words: number) =>
  Array.from({ length: QUERIES }, (_, at) =>
    wordsOf(seed * QUERIES + at, words).slice(0, LONG_CHARACTERS),
  );

/** One question after the other, by whichever protocol. */
async function timed(search: (text: string) => Promise<Answered>) {
  const times: number[] = [];
  for (let at = 0; at < SINGLE_CALLS; at++) {
    const { ms, status } = await search(wordsOf(at, 8));
    if (status !== 200) throw new Error(`a question was answered with ${status}`);
    times.push(ms);
  }
  return told(times);
}

/** The other protocols, whose filters leave nearly all files. */
async function otherwise(url: URL, token: string) {
  const openAi = searching(url, "/v1/vector_stores/bench/search", token, {});
  const dify = searching(url, "/dify/retrieval", token, { knowledge_id: "bench" });
  const unlike = (at: number) => Array.from({ length: 200 }, (_, one) => `none-${at}-${one}.txt`);
  const filters = {
    type: "and",
    filters: Array.from({ length: 48 }, (_, at) => {
      return { type: "nin", key: "name", value: unlike(at) };
    }),
  };
  const conditions = [{ name: "mime_type", comparison_operator: "is not", value: "text/csv" }];
  const setting = { retrieval_setting: { top_k: 5, score_threshold: 0 } };
  const ne = { type: "ne", key: "mime_type", value: "text/csv" };
  return {
    v1: await timed((query) => openAi({ query })),
    v1Ne: await timed((query) => openAi({ query, filters: ne })),
    v1Nin: await timed((query) => openAi({ query, filters })),
    dify: await timed((query) => dify({ query, ...setting })),
    difyIsNot: await timed((query) =>
      dify({ query, ...setting, metadata_condition: { logical_operator: "and", conditions } }),
    ),
  };
}

async function alone(search: Search) {
  const single = (more: Record<string, unknown>) =>
    timed((text) => search({ semanticSearch: [text], ...more }));
  await single({});
  const [unfiltered, filtered] = [await single({}), await single(FILTER)];
  const { ms: tenFiltered } = await search({ semanticSearch: queries(1, 8), ...FILTER });
  const { ms: tenLong } = await search({ semanticSearch: queries(2, 4_000), topK: 100 });
  return { unfiltered, filtered, tenFiltered, tenLong };
}

/** The others' times while one token keeps twelve calls of this body under way. */
async function crowded(url: URL, heavy: Search, light: Search, words: number, more: object) {
  const endsAt = performance.now() + SECONDS * 1_000;
  const isOn = () => performance.now() < endsAt;
  const heavies: Answered[] = [];
  const lights: number[] = [];
  const healths: number[] = [];
  const keepOn = async (work: (round: number) => Promise<void>) => {
    for (let round = 0; isOn(); round++) await work(round);
  };
  await Promise.all([
    ...Array.from({ length: HEAVY_CALLS }, (_, at) =>
      keepOn(async (round) => {
        heavies.push(await heavy({ semanticSearch: queries(at + 100 * round, words), ...more }));
      }),
    ),
    keepOn(async (round) => {
      lights.push((await light({ semanticSearch: [wordsOf(round, 5)] })).ms);
    }),
    keepOn(async () => {
      const startedAt = performance.now();
      await (await fetch(new URL("/health", url))).text();
      healths.push(performance.now() - startedAt);
    }),
  ]);
  const late = heavies.filter(({ ms }) => ms > DEADLINE_MS + 2_000).length;
  const cut = heavies.filter(({ degraded }) => degraded).length;
  const refused = heavies.filter(({ status }) => status !== 200).length;
  const heavyTimes = told(heavies.map(({ ms }) => ms));
  return {
    other: told(lights),
    health: told(healths),
    heavy: { ...heavyTimes, cut, refused, late },
  };
}

/**
 * `npm run bench -- crowd [FILES]`: FILES long files of about 100 passages in one RAG, ten in
 * another. What a filter costs; and what another token and /health wait for while one token has
 * twelve long searches under way.
 */
export async function run([files]: string[]): Promise<Record<string, unknown>> {
  const service = await startBundledService(BINDINGS);
  try {
    const { url } = service;
    const filled = await fillRags(url, longFiles(Number(files ?? DEFAULT_FILES)));
    const send = await signIn(url.origin);
    await send("POST", "/file-sources", { name: "small", provider: "file_system" });
    await send("POST", "/rags", { name: "small", fileSource: "small" });
    const made = await send("POST", "/tokens", { name: "small", rags: ["small"] });
    const { token } = (await made.json()) as { token: string };
    for (const { path, text } of madeUp(SMALL_FILES)) {
      const data = new Uint8Array(Buffer.from(text));
      const raw = { data, contentType: "text/plain" };
      await send("PUT", `/file-sources/small/files/${path}`, undefined, raw);
    }
    const heavy = searching(url, "/api/rags/bench/retrieve", filled.token);
    const light = searching(url, "/api/rags/small/retrieve", token);
    await light({ semanticSearch: ["warm"] });
    return {
      passages: filled.count,
      alone: await alone(heavy),
      otherProtocols: await otherwise(url, filled.token),
      filteredCrowd: await crowded(url, heavy, light, 8, { ...FILTER, topK: 20 }),
      longCrowd: await crowded(url, heavy, light, 4_000, { topK: 100 }),
    };
  } finally {
    await service.stop();
  }
}
