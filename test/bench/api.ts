import { basename, join } from "node:path";

import { inBatches } from "../../src/core/work/batches.ts";
import { extractDocument } from "../../src/documents/extract-document.ts";
import { cutDocument } from "../support/cut-document.ts";
import { startBundledService } from "./support/bundled-service.ts";
import type { Passage } from "./support/floor-worker.ts";
import { compareInTurn, ROUNDS, type Compared } from "./support/in-turn.ts";
import { fillRags, type PushedText } from "./support/local-service.ts";
import { retrievalsOf } from "./support/retrievals.ts";
import { askingOf } from "./support/timed-clients.ts";
import { startWorkerd } from "./support/workerd.ts";

const FLOOR = join(import.meta.dirname, "support/floor-worker.ts");
const PASSAGES_A_CALL = 500;
/** As a RAG has it by default. */
const CHUNKING = { chunkSize: 400, chunkOverlap: 60, tokenizer: "unknown" } as const;
/** As in production, where the usage of a second shares a message; a local queue costs each call. */
const BINDINGS = { RATE_LIMIT_API: "10000", USAGE_WAIT_MS: "1000" };
/** Of the floor's. */
const P50_BAR = 1.3;
const CALLS_BAR = 0.9;

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

async function loadFloor(url: URL, passages: Passage[]): Promise<void> {
  for (const batch of inBatches(passages, PASSAGES_A_CALL)) {
    const body = JSON.stringify(batch);
    const { ok, status } = await fetch(new URL("/load", url), { method: "POST", body });
    if (!ok) throw new Error(`/load: ${status}`);
  }
}

function checkBars(results: Compared[]): void {
  for (const { clients, p50Ratio, callsRatio } of results) {
    if (p50Ratio <= P50_BAR && callsRatio >= CALLS_BAR) continue;
    console.error(
      `${clients} clients: ${p50Ratio} of the floor's p50 (bar ${P50_BAR}), ` +
        `${callsRatio} of its calls a second (bar ${CALLS_BAR})`,
    );
    process.exitCode = 1;
  }
}

/**
 * `npm run bench -- api [FOLDER]`: retrievals of the whole service (rate window, token, D1, usage)
 * over HTTP in plain workerd, with one client and with eight, in turn with a Worker that does
 * nothing but search. FOLDER has docs.jsonl, queries.jsonl and qrels.tsv; without it the
 * collection is made up.
 */
export async function run([folder]: string[]): Promise<Record<string, unknown>> {
  const { documents, bodies } = retrievalsOf(folder);
  const passages = await passagesOf(documents);
  const service = await startBundledService(BINDINGS);
  try {
    const floor = await startWorkerd(FLOOR, {
      durableObject: { binding: "FLOOR", className: "Floor" },
    });
    try {
      await loadFloor(floor.address, passages);
      const { token, count } = await fillRags(service.url, documents);
      if (count !== passages.length) {
        throw new Error(`the service has ${count} passages, the floor ${passages.length}`);
      }
      const results = await compareInTurn(bodies, {
        base: {
          name: "floor",
          asking: (_, body) => ({ url: floor.address.href, headers: {}, body }),
        },
        other: { name: "api", asking: askingOf(service.url, token) },
      });
      checkBars(results);
      return { documents: documents.length, passages: count, rounds: ROUNDS, results };
    } finally {
      await floor.stop();
    }
  } finally {
    await service.stop();
  }
}
