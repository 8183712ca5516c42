import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Table from "cli-table3";

import { inBatches } from "../../src/core/work/batches.ts";
import { extractDocument } from "../../src/documents/extract-document.ts";
import { cutDocument } from "../support/cut-document.ts";
import { startBundledService } from "./support/bundled-service.ts";
import { readCollection } from "./support/collection.ts";
import type { Passage } from "./support/floor-worker.ts";
import { pushAll, signIn } from "./support/local-service.ts";
import type { Counts, PushedText, Send } from "./support/local-service.ts";
import { queryFor, textOf } from "./support/synthetic-text.ts";
import { timeClients } from "./support/timed-clients.ts";
import type { Asking, Timed } from "./support/timed-clients.ts";
import { startWorkerd } from "./support/workerd.ts";

const FLOOR = join(import.meta.dirname, "support/floor-worker.ts");
const ROUNDS = 5;
/** Enough for V8 to have compiled what is asked for. */
const WARM_UP_QUERIES = 300;
const CLIENTS = [1, 8];
const QUERIES_A_ROUND = 300;
const MADE_UP = 5_000;
const WORDS_EACH = 220;
const WORDS_ASKED = 10;
const TOP_K = 10;
const POLL_MS = 250;
const FILL_LIMIT_MS = 180_000;
const PASSAGES_A_CALL = 500;
/** As a RAG has it by default. */
const CHUNKING = { chunkSize: 400, chunkOverlap: 60, tokenizer: "unknown" } as const;
const RATE_LIMIT = "10000";
/** Of the floor's. */
const P50_BAR = 1.3;
const CALLS_BAR = 0.9;

type Work = { documents: PushedText[]; queries: string[] };

function workOf(folder: string | undefined): Work {
  if (folder !== undefined) {
    const { documents, queries } = readCollection(folder);
    return {
      documents: documents.map(({ id, title, text }) => {
        return { path: `${id}.md`, text: `# ${title}\n\n${text}\n` };
      }),
      queries: queries.map(({ text }) => text).slice(0, QUERIES_A_ROUND),
    };
  }
  const documents = Array.from({ length: MADE_UP }, (_, at) => {
    return { path: `${at}.md`, text: `# Note ${at}\n\n${textOf(at, WORDS_EACH)}.\n` };
  });
  const queries = Array.from({ length: QUERIES_A_ROUND }, (_, at) =>
    queryFor((at * 7) % MADE_UP, WORDS_EACH, WORDS_ASKED),
  );
  return { documents, queries };
}

/** The passages that the service makes of the documents, with what its answers say of them. */
async function passagesOf(documents: PushedText[]): Promise<Passage[]> {
  const passages: Passage[] = [];
  for (const { path, text } of documents) {
    const name = basename(path);
    const bytes = new TextEncoder().encode(text);
    const document = await extractDocument({ name, mimeType: "text/markdown", bytes });
    for (const chunk of cutDocument(document, { ...CHUNKING, fileName: name })) {
      const { position, page, headings, start, end } = chunk;
      const of = { ragIdentifier: "bench", filePath: path, name, externalId: null, url: null };
      const source = { ...of, position, page, headings, start, end };
      passages.push({ text: chunk.text, embeddedText: chunk.embeddedText, source });
    }
  }
  return passages;
}

/** A RAG with all documents, and a token for it. */
async function fill(url: URL, documents: PushedText[]): Promise<{ token: string; count: number }> {
  const send: Send = await signIn(url.origin);
  await send("POST", "/file-sources", { name: "bench", provider: "file_system" });
  await send("POST", "/rags", { name: "bench", fileSource: "bench" });
  const groups = { agents: [], inferences: [], rags: ["bench"] };
  const made = await send("POST", "/tokens", { name: "bench", ...groups });
  const { token } = (await made.json()) as { token: string };
  await pushAll(send, documents);
  const giveUpAt = Date.now() + FILL_LIMIT_MS;
  for (;;) {
    const counts = (await (await send("GET", "/rags/bench")).json()) as Counts;
    if (counts.processedFiles === documents.length) return { token, count: counts.numberVectors };
    if (Date.now() > giveUpAt) throw new Error(`${counts.processedFiles} files after the limit`);
    await pause(POLL_MS);
  }
}

async function loadFloor(url: URL, passages: Passage[]): Promise<void> {
  for (const batch of inBatches(passages, PASSAGES_A_CALL)) {
    const body = JSON.stringify(batch);
    const { ok, status } = await fetch(new URL("/load", url), { method: "POST", body });
    if (!ok) throw new Error(`/load: ${status}`);
  }
}

type Side = "floor" | "api";
type Askings = Record<Side, (client: number, body: string) => Asking>;
/** The rounds of one number of clients. */
type Rounds = Record<Side, Timed[]>;

/** Both in turn, and the other one first in every other round. */
async function timeInTurn(clients: number, bodies: string[], askings: Askings): Promise<Rounds> {
  const rounds: Rounds = { floor: [], api: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const order: Side[] = round % 2 === 0 ? ["floor", "api"] : ["api", "floor"];
    for (const side of order) rounds[side].push(await timeClients(clients, bodies, askings[side]));
  }
  return rounds;
}

const medianOf = (values: number[]) =>
  values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const quantile = (sorted: number[], share: number) =>
  sorted[Math.floor(sorted.length * share)] ?? 0;
const rounded = (value: number) => Number(value.toFixed(2));

function resultOf(clients: number, rounds: Rounds) {
  const of = (side: Side) => {
    const ms = rounds[side].flatMap((one) => one.ms).sort((a, b) => a - b);
    return {
      p50Ms: rounded(quantile(ms, 0.5)),
      p99Ms: rounded(quantile(ms, 0.99)),
      callsPerSecond: rounded(medianOf(rounds[side].map((one) => one.callsPerSecond))),
      bytes: rounds[side][0]?.bytes ?? 0,
    };
  };
  /** Of each round, so that what else the machine does hits both sides alike; then the median. */
  const ratio = (value: (one: Timed) => number) =>
    rounded(medianOf(rounds.api.map((one, at) => value(one) / value(rounds.floor[at] ?? one))));
  return {
    clients,
    floor: of("floor"),
    api: of("api"),
    p50Ratio: ratio(({ ms }) => quantile(ms, 0.5)),
    callsRatio: ratio(({ callsPerSecond }) => callsPerSecond),
  };
}

function show(results: ReturnType<typeof resultOf>[]): void {
  const table = new Table({ head: ["clients", "", "p50 ms", "p99 ms", "calls/s", "bytes"] });
  for (const { clients, floor, api, p50Ratio, callsRatio } of results) {
    for (const [name, of] of Object.entries({ floor, api })) {
      table.push([clients, name, of.p50Ms, of.p99Ms, of.callsPerSecond, of.bytes]);
    }
    table.push([clients, "ratio", p50Ratio, "", callsRatio, ""]);
    if (p50Ratio <= P50_BAR && callsRatio >= CALLS_BAR) continue;
    console.error(
      `${clients} clients: ${p50Ratio} of the floor's p50 (bar ${P50_BAR}), ` +
        `${callsRatio} of its calls a second (bar ${CALLS_BAR})`,
    );
    process.exitCode = 1;
  }
  console.log(table.toString());
}

/**
 * `npm run bench -- api [FOLDER]`: retrievals of the whole service (rate window, token, D1, usage)
 * over HTTP in plain workerd, with one client and with eight, in turn with a Worker that does
 * nothing but search. FOLDER has docs.jsonl, queries.jsonl and qrels.tsv; without it the
 * collection is made up.
 */
export async function run([folder]: string[]): Promise<Record<string, unknown>> {
  const { documents, queries } = workOf(folder);
  const passages = await passagesOf(documents);
  const bodies = queries.map((query) =>
    JSON.stringify({ semanticSearch: [query], topK: TOP_K, includeSources: true }),
  );
  const service = await startBundledService({ RATE_LIMIT_API: RATE_LIMIT });
  try {
    const floor = await startWorkerd(FLOOR, {
      durableObject: { binding: "FLOOR", className: "Floor" },
    });
    try {
      await loadFloor(floor.address, passages);
      const { token, count } = await fill(service.url, documents);
      if (count !== passages.length) {
        throw new Error(`the service has ${count} passages, the floor ${passages.length}`);
      }
      const { href: url } = new URL("/api/rags/bench/retrieve", service.url);
      const askings: Askings = {
        floor: (_, body) => ({ url: floor.address.href, headers: {}, body }),
        api: (client, body) => {
          const headers = {
            "CF-Connecting-IP": `192.0.2.${client + 1}`,
            Authorization: `Bearer ${token}`,
            "Content-Type": "application/json",
          };
          return { url, headers, body };
        },
      };
      const warmUp = Array.from(
        { length: WARM_UP_QUERIES },
        (_, at) => bodies[at % bodies.length] ?? "",
      );
      for (const asking of Object.values(askings)) await timeClients(2, warmUp, asking);
      const results = [];
      for (const clients of CLIENTS) {
        results.push(resultOf(clients, await timeInTurn(clients, bodies, askings)));
      }
      show(results);
      return { documents: documents.length, passages: count, rounds: ROUNDS, results };
    } finally {
      await floor.stop();
    }
  } finally {
    await service.stop();
  }
}
