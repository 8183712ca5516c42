import { embedEach } from "../../catalog/models/embed-texts.ts";
import type { RagId } from "../../core/ids.ts";
import type { ModelUse } from "../../core/queue-messages.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import { textToEmbed } from "../../documents/chunking/chunk-document.ts";
import { ModelFailure } from "../../ports/models.ts";
import type { Services } from "../../services.ts";
import { labelFailure } from "./end-file.ts";
import { outcomeOf, valueOf } from "./file-work.ts";
import type { ChunkVector, FileWork, MissingWork, Outcome, ChunkRequest } from "./file-work.ts";

export const embedderOf = ({ models }: Pick<Services, "models">, file: ClaimedFile) =>
  models.embedder(file.embeddingModel, file.dimensions);

/** `beat` is called while a slow model works. */
export type Embedding = { tally: EmbeddingTally; beat?: () => Promise<void> };

/** Vectors of all chunks that lack one, which are of one model: an outcome for each file. */
export async function embedChunks(
  services: Services,
  lacking: readonly MissingWork[],
  { tally, beat }: Embedding,
): Promise<Map<FileWork, Outcome<ChunkVector[]>>> {
  const requests = lacking.flatMap(({ work, missing }) =>
    missing.map((chunk) => ({ work, chunk })),
  );
  const [first] = requests;
  if (first === undefined) return new Map();
  const { now, runInBackground, takeTurn } = services;
  const embedder = embedderOf(services, first.work.file);
  await takeTurn(lengthToEmbed(requests));
  const texts = requests.map(
    ({ work, chunk }) => work.file.passagePrefix + textToEmbed(work.markdown, chunk),
  );
  const { signal } = new AbortController();
  const how = { signal, group: first.work.file.ragId, beat, runInBackground };
  const startedAt = now();
  const called = await outcomeOf(() => embedEach(embedder, texts, how));
  const tokens = "value" in called ? called.value.tokens : null;
  tally.add({ model: embedder.name, wanted: requests, tokens, latencyMs: now() - startedAt });
  const byWork = Map.groupBy(requests.entries(), ([, { work }]) => work);
  const outcomes = [...byWork].map(async ([work, own]) => {
    const outcome = await outcomeOf(() =>
      labelFailure("embedding provider", async () => {
        const { outcomes } = valueOf(called);
        return own.map(([at, { chunk }]) => ({ chunk, vector: vectorIn(outcomes[at]) }));
      }),
    );
    return [work, outcome] as const;
  });
  return new Map(await Promise.all(outcomes));
}

function vectorIn(outcome: Float32Array | ModelFailure | undefined): Float32Array {
  if (outcome instanceof Float32Array) return outcome;
  throw outcome ?? new ModelFailure("incomplete reply");
}

/** One embedding call and its result; `tokens` is null when it failed. */
export type EmbeddingCall = {
  model: string;
  wanted: ChunkRequest[];
  tokens: number | null;
  latencyMs: number;
};

/** Usage of models while a batch was indexed: one entry per RAG, model and outcome. */
export class EmbeddingTally {
  readonly #uses = new Map<string, ModelUse>();

  get uses(): ModelUse[] {
    return [...this.#uses.values()];
  }

  /** When several RAGs share a call, its tokens are split by the length of their texts. */
  add({ model, wanted: requests, tokens, latencyMs }: EmbeddingCall): void {
    const characters = Map.groupBy(requests, ({ work }) => work.file.ragId);
    const total = lengthToEmbed(requests);
    for (const [ragId, own] of characters) {
      const share = total === 0 ? 0 : lengthToEmbed(own) / total;
      const inputTokens = Math.round((tokens ?? 0) * share);
      this.count({
        kind: "embedding",
        model,
        ragId,
        inputTokens,
        latencyMs,
        failed: tokens === null,
      });
    }
  }

  /** Adds one call. */
  count({ ragId, latencyMs, ...call }: Omit<ModelUse, "ragIds" | "calls"> & { ragId: RagId }) {
    const key = JSON.stringify([ragId, call.kind, call.model, call.failed]);
    const earlier = this.#uses.get(key);
    const calls = (earlier?.calls ?? 0) + 1;
    const meanMs = ((earlier?.latencyMs ?? 0) * (calls - 1) + latencyMs) / calls;
    const inputTokens = (earlier?.inputTokens ?? 0) + call.inputTokens;
    const outputTokens = (earlier?.outputTokens ?? 0) + (call.outputTokens ?? 0);
    const tokens = { inputTokens, ...(outputTokens > 0 && { outputTokens }) };
    this.#uses.set(key, { ...call, ragIds: [ragId], calls, ...tokens, latencyMs: meanMs });
  }
}

const lengthToEmbed = (requests: ChunkRequest[]) =>
  requests.reduce((sum, { work, chunk }) => sum + textToEmbed(work.markdown, chunk).length, 0);
