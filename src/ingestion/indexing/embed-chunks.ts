import { embedTexts } from "../../catalog/models/embed-texts.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import { ModelFailure, type Embedder } from "../../ports/models.ts";
import type { Services } from "../../services.ts";
import { embeddedText } from "../../documents/chunking/chunk-document.ts";
import type { Embedded, FileWork, Lacking, Outcome, Wanted } from "./file-work.ts";
import { labelFailure } from "./end-file.ts";
import type { RagId } from "../../core/ids.ts";
import type { ModelUse } from "../../core/queue-messages.ts";

/** One embedding call, ms. */
const EMBEDDING_TIMEOUT_MS = 30_000;

export const embedderOf = ({ models }: Pick<Services, "models">, file: ClaimedFile) =>
  models.embedder(file.embeddingModel, file.dimensions);

/** Vectors of all chunks that lack one, which are of one model: an outcome for each file. */
export async function embedChunks(
  services: Services,
  lacking: readonly Lacking[],
  tally: EmbeddingTally,
): Promise<Map<FileWork, Outcome<Embedded[]>>> {
  const wanted = lacking.flatMap(({ work, missing }) => missing.map((chunk) => ({ work, chunk })));
  const [first] = wanted;
  if (first === undefined) return new Map();
  const embedder = embedderOf(services, first.work.file);
  await services.takeTurn(embeddedLength(wanted));
  return await embedSlice((some) => counted(services, embedder, some, tally), wanted);
}

type Embed = (wanted: Wanted[]) => Promise<Float32Array[]>;

async function embedSlice(embed: Embed, wanted: Wanted[]) {
  const works = new Set(wanted.map(({ work }) => work));
  try {
    return grouped(wanted, await embed(wanted));
  } catch (thrown) {
    const failed = new Map([...works].map((work) => [work, { thrown }]));
    // A refusal may be caused by one text, so each file is tried alone. Other failures affect all
    // files.
    if (works.size === 1 || !isRefusal(thrown)) return failed;
    const alone = new Map<FileWork, Outcome<Embedded[]>>();
    for (const own of Map.groupBy(wanted, ({ work }) => work).values()) {
      for (const [work, outcome] of await embedSlice(embed, own)) alone.set(work, outcome);
    }
    return alone;
  }
}

/** One call of the provider; a failed call is counted too. */
async function counted(
  { now }: Services,
  embedder: Embedder,
  wanted: Wanted[],
  tally: EmbeddingTally,
): Promise<Float32Array[]> {
  const startedAt = now();
  let tokens: number | null = null;
  try {
    const texts = wanted.map(({ work, chunk }) => embeddedText(work.markdown, chunk));
    const embedded = await callEmbedder(embedder, texts);
    ({ tokens } = embedded);
    return embedded.vectors;
  } finally {
    tally.add({ model: embedder.name, wanted, tokens, latencyMs: now() - startedAt });
  }
}

/** @throws StepFailure that names the embedding provider */
export const callEmbedder = (embedder: Embedder, texts: string[]) =>
  labelFailure("embedding provider", () =>
    embedTexts(embedder, texts, AbortSignal.timeout(EMBEDDING_TIMEOUT_MS)),
  );

const isRefusal = (thrown: unknown) =>
  thrown instanceof Error && thrown.cause instanceof ModelFailure && !thrown.cause.retryable;

function grouped(wanted: Wanted[], vectors: Float32Array[]) {
  const byWork = new Map<FileWork, { value: Embedded[] }>();
  for (const [at, { work, chunk }] of wanted.entries()) {
    const vector = vectors[at];
    if (vector === undefined) continue;
    const outcome = byWork.get(work) ?? { value: [] };
    outcome.value.push({ chunk, vector });
    byWork.set(work, outcome);
  }
  return byWork;
}

/** One embedding call and its result; `tokens` is null when it failed. */
export type EmbeddingCall = {
  model: string;
  wanted: Wanted[];
  tokens: number | null;
  latencyMs: number;
};

/** Embedding usage while a batch was indexed: one entry per RAG, model and outcome. */
export class EmbeddingTally {
  readonly #uses = new Map<string, ModelUse>();

  get uses(): ModelUse[] {
    return [...this.#uses.values()];
  }

  /** When several RAGs share a call, its tokens are split by the length of their texts. */
  add({ model, wanted, tokens, latencyMs }: EmbeddingCall): void {
    const characters = Map.groupBy(wanted, ({ work }) => work.file.ragId);
    const total = embeddedLength(wanted);
    for (const [ragId, own] of characters) {
      const share = total === 0 ? 0 : embeddedLength(own) / total;
      this.#count(ragId, model, Math.round((tokens ?? 0) * share), latencyMs, tokens === null);
    }
  }

  #count(ragId: RagId, model: string, tokens: number, latencyMs: number, failed: boolean): void {
    const key = JSON.stringify([ragId, model, failed]);
    const known = this.#uses.get(key);
    const calls = (known?.calls ?? 0) + 1;
    const meanMs = ((known?.latencyMs ?? 0) * (calls - 1) + latencyMs) / calls;
    const inputTokens = (known?.inputTokens ?? 0) + tokens;
    const use = { model, ragIds: [ragId], calls, inputTokens, latencyMs: meanMs, failed };
    this.#uses.set(key, { kind: "embedding", ...use });
  }
}

const embeddedLength = (wanted: Wanted[]) =>
  wanted.reduce((sum, { work, chunk }) => sum + embeddedText(work.markdown, chunk).length, 0);
