import { setTimeout as pause } from "node:timers/promises";

import { ask, madeUp, pushFiles, startService } from "./support/fresh-service.ts";
import type { PushedText, Service } from "./support/fresh-service.ts";
import { quantilesOf, timeCalls } from "./support/time-calls.ts";

/** As in production, where the usage of a second shares a message; a local queue costs each call. */
const VARIABLES = ["USAGE_WAIT_MS:1000"];
const DEFAULT_FILES = 100;
const PASSAGES_A_FILE = 100;
const SMALL_FILES = 10;
const CALLS = 300;
const CALLERS = 8;
const QUERIES = 10;
const LONG_CHARACTERS = 16_000;
const HEAVY_CALLERS = 12;
const CROWDED_MS = 10_000;
const FILTER = { providerFilter: [{ field: "mimeType", values: ["text/plain"] }] };
/** A filter costs at most so many times as much; ten queries with one; what others wait for. */
const BARS = { filteredRatio: 2.5, tenFilteredMs: 2_500, othersP95Ms: 1_000 };

/** Long files; every third passage is one of ten notes that all of them repeat. */
function longFiles(count: number): PushedText[] {
  const notes = madeUp(10, 1_000_000).map(({ text }) => `Note. ${text}`);
  return Array.from({ length: count }, (_, file) => {
    const own = madeUp(PASSAGES_A_FILE, file * PASSAGES_A_FILE).map(({ text }) => text);
    const text = own
      .map((passage, at) => (at % 3 === 0 ? notes[(file + at) % notes.length] : passage))
      .join("\n\n");
    return { path: `${file}.txt`, text };
  });
}

/** Returns equal words for equal numbers. */
function wordsOf(seed: number, count: number): string {
  const words = madeUp(1 + Math.ceil(count / 200), seed).map(({ text }) => text);
  return words.join(" ").split(" ").slice(0, count).join(" ");
}

const queries = (seed: number, words: number) =>
  Array.from({ length: QUERIES }, (_, at) =>
    wordsOf(seed * QUERIES + at, words).slice(0, LONG_CHARACTERS),
  );

const search = (service: Service, rag: string, body: object) =>
  ask(service, `rags/${rag}/retrieve`, body);

async function alone(service: Service) {
  const questions = Array.from({ length: CALLS }, (_, at) => wordsOf(at, 8));
  const askAll = (callers: number, more: object = {}) =>
    timeCalls(questions, callers, (text) =>
      search(service, "bench", { semanticSearch: [text], includeSources: true, ...more }),
    );
  await askAll(2);
  const ten = (words: number, more: object) =>
    timeCalls([queries(1, words)], 1, (semanticSearch) =>
      search(service, "bench", { semanticSearch, ...more }),
    );
  return {
    "one caller": await askAll(1),
    "eight callers": await askAll(CALLERS),
    "with a filter": await askAll(1, FILTER),
    "ten queries with a filter": await ten(8, FILTER),
    "ten long queries": await ten(4_000, { topK: 100 }),
  };
}

/** Measures how long others wait while one caller keeps twelve calls of this kind under way. */
async function crowded(service: Service, words: number, more: object) {
  const end = new AbortController();
  const keepOn = async (work: (round: number) => Promise<unknown>) => {
    const times: number[] = [];
    for (let round = 0; !end.signal.aborted; round++) {
      const from = performance.now();
      await work(round);
      times.push(performance.now() - from);
    }
    return times;
  };
  const heavy = Array.from({ length: HEAVY_CALLERS }, (_, at) =>
    keepOn((round) =>
      search(service, "bench", { semanticSearch: queries(at + 100 * round, words), ...more }),
    ),
  );
  const small = keepOn((round) =>
    search(service, "small", { semanticSearch: [wordsOf(round, 5)] }),
  );
  const health = keepOn(async () => await (await fetch(`${service.url}/health`)).text());
  await pause(CROWDED_MS);
  end.abort();
  return {
    heavy: quantilesOf((await Promise.all(heavy)).flat()),
    "another RAG": quantilesOf(await small),
    "/health": quantilesOf(await health),
  };
}

/**
 * `npm run bench -- api [FILES]`: searches over HTTP of a service as `npm start` runs it: FILES
 * long files of about 100 passages in one RAG, ten short ones in another. What callers, filters and
 * many queries cost, and what others wait for while one caller has twelve long searches under way.
 */
export async function run([files]: string[]): Promise<Record<string, unknown>> {
  const rags = [{ name: "bench" }, { name: "small" }];
  const { service, stop } = await startService(rags, { vars: VARIABLES });
  try {
    const long = longFiles(Number(files ?? DEFAULT_FILES));
    const { numberVectors } = await pushFiles(service, "bench", long);
    await pushFiles(service, "small", madeUp(SMALL_FILES));
    const single = await alone(service);
    const filtered = await crowded(service, 8, { ...FILTER, topK: 20 });
    const longer = await crowded(service, 4_000, { topK: 100 });
    for (const measured of [single, filtered, longer]) console.table(measured);
    const otherCalls = [filtered, longer].flatMap((measurement) => [
      measurement["another RAG"],
      measurement["/health"],
    ]);
    const isWithin =
      single["with a filter"].p50Ms <= BARS.filteredRatio * single["one caller"].p50Ms &&
      single["ten queries with a filter"].maxMs <= BARS.tenFilteredMs &&
      otherCalls.every(({ p95Ms }) => p95Ms <= BARS.othersP95Ms);
    if (!isWithin) {
      console.error(`beyond a bar: ${JSON.stringify(BARS)}`);
      process.exitCode = 1;
    }
    return { passages: numberVectors, single, filtered, longer };
  } finally {
    await stop();
  }
}
