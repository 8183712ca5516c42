import { embedTexts } from "../../catalog/models/embed-texts.ts";
import { sendRetrievalUsage } from "../../catalog/usage/send-usage.ts";
import type { TokenId } from "../../core/ids.ts";
import { toBatches } from "../../core/work/batches.ts";
import { Deadline } from "../../core/work/deadline.ts";
import { toModelError } from "../../inference/run-turn.ts";
import type { Embedder } from "../../ports/models.ts";
import type { Services } from "../../services.ts";

export type Embedding = Pick<Services, "config" | "now" | "queue" | "log" | "runInBackground">;

type EmbeddingRequest = {
  embedder: Embedder;
  texts: string[];
  tokenId: TokenId | null;
  signal: AbortSignal;
};

type Embeddings = { vectors: Float32Array[]; tokens: number };

/** Calls of the model at once: replies are many times as large as their vectors. */
const CALLS_AT_ONCE = 4;

/** Usage counts even if the caller leaves. @throws QuarryError `model-failed` */
export function embedInputs(services: Embedding, request: EmbeddingRequest): Promise<Embeddings> {
  const running = embed(services, request);
  services.runInBackground(running.catch(() => undefined));
  return running;
}

async function embed(services: Embedding, request: EmbeddingRequest): Promise<Embeddings> {
  const { embedder, texts, tokenId, signal } = request;
  const { now, config, runInBackground } = services;
  const startedAt = now();
  const vectors: Float32Array[] = [];
  let calls = 0;
  let tokens = 0;
  const call = async (batch: string[], until: AbortSignal) => {
    calls += 1;
    const vectors = await embedTexts(embedder, batch, { signal: until, runInBackground });
    tokens += vectors.tokens;
    return vectors.vectors;
  };
  const callAll = async (until: AbortSignal) => {
    for (const wave of toBatches(toBatches(texts, embedder.batchLimit), CALLS_AT_ONCE)) {
      until.throwIfAborted();
      const batches = await Promise.all(wave.map((batch) => call(batch, until)));
      vectors.push(...batches.flat());
    }
  };
  const count = (failed: boolean) => {
    const latencyMs = now() - startedAt;
    const { name: model } = embedder;
    const use = { kind: "embedding" as const, model, ragIds: [], inputTokens: tokens, failed };
    const uses = [{ ...use, calls, latencyMs: latencyMs / Math.max(1, calls) }];
    const timings = { contextMs: latencyMs, rerankingMs: 0 };
    sendRetrievalUsage(
      services,
      { ragIds: [], tokenId },
      { degradations: [], uses, timings, failed },
    );
  };
  try {
    await new Deadline(now, config.MODEL_TIMEOUT_MS, signal).run("model", callAll);
  } catch (thrown) {
    count(true);
    throw toModelError(thrown);
  }
  count(false);
  return { vectors, tokens };
}

/** The answer, a vector at a time: as one text the largest would not fit a Worker's memory. */
export function embeddingsBody(
  { vectors, tokens }: Embeddings,
  { model, isBase64 }: { model: string; isBase64: boolean },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const write = isBase64 ? inBase64 : Array.from<number>;
  let index = 0;
  return new ReadableStream({
    pull(controller) {
      const vector = vectors[index];
      if (vector === undefined) {
        const usage = JSON.stringify({ prompt_tokens: tokens, total_tokens: tokens });
        const end = `],"model":${JSON.stringify(model)},"usage":${usage}}`;
        controller.enqueue(encoder.encode(end));
        controller.close();
        return;
      }
      const before = index === 0 ? '{"object":"list","data":[' : ",";
      const item = { object: "embedding", index, embedding: write(vector) };
      controller.enqueue(encoder.encode(before + JSON.stringify(item)));
      index += 1;
    },
  });
}

const BYTES_AT_ONCE = 8_192;

/** float32 in little-endian order, which is the platform's. */
function inBase64({ buffer }: Float32Array): string {
  const bytes = new Uint8Array(buffer);
  let binary = "";
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE));
  }
  return btoa(binary);
}
