import { z } from "zod";

import { checkChunking, overlapFor, storedRag } from "../../catalog/rags/rag-settings.ts";
import { MAX_DIMENSIONS } from "../../config.ts";
import { invalidField, messageOf } from "../../core/errors.ts";
import { modelName } from "../../core/input/input-fields.ts";
import { findPrices, PRICED_TOKENS, priceKey } from "../../db/catalog/model-store.ts";
import { listGenerations, type ListedGeneration } from "../../db/generations/generation-store.ts";
import type { RagRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { estimateTokens, type Tokenizer } from "../../text/tokens.ts";

/** Number of chunks whose texts are counted, spread over each shard. */
const SAMPLE_PER_SHARD = 64;
const SHARDS_SAMPLED = 4;

const MIN_DIMENSIONS = 8;

/** Hypothetical settings; omitted ones keep their current value. */
export const rebuildWish = storedRag
  .pick({ chunkSize: true, chunkOverlap: true })
  .extend({
    embeddingModel: modelName,
    dimensions: z.int().min(MIN_DIMENSIONS).max(MAX_DIMENSIONS),
    /** Like `POST …/reindex`: every vector is made again. */
    reindex: z.boolean(),
  })
  .partial();
export type RebuildWish = z.output<typeof rebuildWish>;

export type RebuildEstimate = Awaited<ReturnType<typeof estimateRebuild>>;

/**
 * Estimates the cost of a change of settings from the sizes of the live chunks. Chunks and tokens
 * are estimates; with the same chunking, the number of chunks is exact.
 * @throws QuarryError `invalid` for settings that would be refused.
 */
export async function estimateRebuild(
  services: Pick<Services, "config" | "db" | "models" | "ragIndexes" | "vectorIndex">,
  { rag, wish }: { rag: RagRecord; wish: RebuildWish },
) {
  const generations = await listGenerations(services.db, rag.id);
  const live = generations.find(({ state }) => state === "live");
  const files = rag.processedFiles;
  if (live === undefined || files === 0) return { ...NOTHING, needed: true };
  const settings = settingsOf(services, rag, wish);
  const embedder = embedderOf(services, settings, live);
  const sameModel =
    settings.embeddingModel === live.embeddingModel && settings.dimensions === live.dimensions;
  const { tokenizer } = embedder;
  const countedBy = services.models.tokenizerOf(live.embeddingModel);
  const sameChunks =
    settings.chunkSize === live.chunkSize &&
    settings.chunkOverlap === live.chunkOverlap &&
    tokenizer === countedBy;
  const sample = await sampleOf(services, rag);
  const before = { files, chunks: rag.numberVectors, ...sizesOf(sample, tokenizer) };
  const liveSizes = sizesOf(sample, countedBy);
  const after =
    sameChunks || sample.length === 0
      ? before
      : estimateCut(before, convertChunking(live, liveSizes, before), settings);
  const inputTokens = Math.round(after.chunks * (after.textTokens + after.headingTokens));
  const counts = { files, chunks: after.chunks };
  if (sameModel && sameChunks && wish.reindex !== true) {
    return { ...NOTHING, ...counts, reusedVectors: after.chunks };
  }
  return {
    needed: true,
    ...counts,
    reusedVectors: 0,
    embeddingCalls: Math.ceil(after.chunks / embedder.batchLimit),
    inputTokens,
    cost: await costOf(services, embedder.name, inputTokens),
  };
}

async function costOf({ db }: Pick<Services, "db">, model: string, inputTokens: number) {
  const price = (await findPrices(db, [model])).get(priceKey("embedding", model));
  if (price === undefined) return null;
  return { amount: (price.inputPrice * inputTokens) / PRICED_TOKENS, currency: price.currency };
}

const NOTHING = {
  /** Whether these settings require a new index. */
  needed: false,
  files: 0,
  /** For the new index. */
  chunks: 0,
  /** Chunks that reuse vectors of the live index. */
  reusedVectors: 0,
  embeddingCalls: 0,
  inputTokens: 0,
  /** Null where the model has no price. */
  cost: null,
};

function settingsOf(
  { config, models }: Pick<Services, "config" | "models">,
  rag: RagRecord,
  wish: RebuildWish,
) {
  const embeddingModel = wish.embeddingModel ?? config.EMBEDDING_MODEL;
  const { longestPassage } = models.embeddingForm(embeddingModel);
  const chunkSize = Math.min(wish.chunkSize ?? rag.chunkSize, longestPassage);
  const chunkOverlap = wish.chunkOverlap ?? overlapFor(rag, chunkSize);
  checkChunking(chunkSize, chunkOverlap);
  const dimensions = wish.dimensions ?? config.EMBEDDING_DIMENSIONS;
  return { chunkSize, chunkOverlap, embeddingModel, dimensions };
}

function embedderOf(
  { models, vectorIndex }: Pick<Services, "models" | "vectorIndex">,
  { embeddingModel, dimensions }: ReturnType<typeof settingsOf>,
  live: ListedGeneration,
) {
  if (vectorIndex !== null && dimensions !== live.dimensions) {
    const size = `must be ${live.dimensions}: the vector index holds one size`;
    throw invalidField("dimensions", size);
  }
  try {
    return models.embedder(embeddingModel, dimensions);
  } catch (thrown) {
    throw invalidField("embeddingModel", `: ${messageOf(thrown)}`);
  }
}

/** Mean tokens of a chunk: its text, and the headings that are embedded before it. */
type Sizes = { textTokens: number; headingTokens: number };

type SamplePassages = { text: string; headings: string[] }[];

async function sampleOf(
  { ragIndexes }: Pick<Services, "ragIndexes">,
  { id, generation, shards }: RagRecord,
): Promise<SamplePassages> {
  const addresses = Array.from({ length: Math.min(shards, SHARDS_SAMPLED) }, (_, shard) => {
    return { ragId: id, generation, shard };
  });
  const samples = await Promise.all(
    addresses.map((address) => ragIndexes(address).sample(SAMPLE_PER_SHARD)),
  );
  return samples.flat();
}

function sizesOf(chunks: SamplePassages, tokenizer: Tokenizer): Sizes {
  const mean = (sizes: number[]) =>
    sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length);
  return {
    textTokens: mean(chunks.map(({ text }) => estimateTokens(text, tokenizer))),
    headingTokens: mean(
      chunks.map(({ headings }) => estimateTokens(headings.join("\n"), tokenizer)),
    ),
  };
}

type Cut = Sizes & { files: number; chunks: number };
type Chunking = Pick<ListedGeneration, "chunkSize" | "chunkOverlap">;

/** Converts a chunking from the tokens of one model to those of another. */
function convertChunking({ chunkSize, chunkOverlap }: Chunking, from: Sizes, to: Sizes): Chunking {
  const ratio = from.textTokens === 0 ? 1 : to.textTokens / from.textTokens;
  return { chunkSize: chunkSize * ratio, chunkOverlap: chunkOverlap * ratio };
}

/** The share of `chunkSize` that chunks fill which are cut by it, and of the overlap they repeat. */
const USUAL_FILL = 0.85;
const USUAL_OVERLAP = 0.7;
/** Chunks that fill less end where their section does: they neither overlap nor merge. */
const SECTION_FILL = 0.5;

/** Estimates other chunking of the same documents; right within about a third. */
function estimateCut(before: Cut, live: Chunking, target: Chunking): Cut {
  const { files, chunks, textTokens } = before;
  const isSections = textTokens < live.chunkSize * SECTION_FILL;
  const repeated = isSections ? 0 : live.chunkOverlap * USUAL_OVERLAP * (1 - files / chunks);
  const overlap = target.chunkOverlap * USUAL_OVERLAP;
  const own = Math.max(1, textTokens - repeated);
  const fresh = Math.max(1, target.chunkSize * USUAL_FILL - overlap);
  const isKept = isSections && own <= target.chunkSize;
  const count = isKept ? chunks : Math.max(files, Math.round((chunks * own) / fresh));
  const total = chunks * own + overlap * (isKept ? 0 : count - files);
  return { ...before, chunks: count, textTokens: total / count };
}
