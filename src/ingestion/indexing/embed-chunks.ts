import { embedTexts } from "../../catalog/models/embed-texts.ts";
import type { EmbeddedTexts } from "../../catalog/models/embed-texts.ts";
import { inParallel } from "../../core/work/parallel.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import { ModelFailure } from "../../ports/models.ts";
import type { Embedder } from "../../ports/models.ts";
import type { Services } from "../../services.ts";
import { embeddedText } from "../../documents/chunking/chunk-document.ts";
import type { EmbeddingTally } from "./embedding-tally.ts";
import type { Embedded, FileWork, Lacking, Outcome, Wanted } from "./file-work.ts";
import { labelFailure } from "./index-failure.ts";

/** One embedding call, ms. */
const EMBEDDING_TIMEOUT_MS = 30_000;
export const SLICES_AT_ONCE = 3;

/** Chunks that one embedding call takes. */
type Slice = { embedder: Embedder; wanted: Wanted[] };

export const embedderOf = ({ models }: Pick<Services, "models">, file: ClaimedFile) =>
  models.embedder(file.embeddingModel, file.dimensions);

/**
 * Vectors of all chunks that lack one, in calls of the model's batch size across files; one outcome
 * for each file, in order. A file that failed is not asked for further.
 */
export async function embedChunks(
  services: Services,
  lacking: readonly Lacking[],
  tally: EmbeddingTally,
): Promise<Outcome<Embedded[]>[]> {
  const found = new Map<FileWork, Outcome<Embedded[]>>(
    lacking.map(({ work }) => [work, { value: [] }]),
  );
  await inParallel(slicesOf(services, lacking), SLICES_AT_ONCE, async ({ embedder, wanted }) => {
    await services.takeTurn(lengthOf(wanted));
    const left = wanted.filter(({ work }) => isFine(found.get(work)));
    const embed = (some: Wanted[]) => counted(services, embedder, some, tally);
    for (const [work, outcome] of await embedSlice(embed, left)) {
      const before = found.get(work);
      if (before !== undefined) found.set(work, joined(before, outcome));
    }
  });
  return [...found.values()];
}

const isFine = (outcome: Outcome<unknown> | undefined) =>
  outcome !== undefined && "value" in outcome;

function joined(before: Outcome<Embedded[]>, after: Outcome<Embedded[]>): Outcome<Embedded[]> {
  if ("thrown" in before) return before;
  return "thrown" in after ? after : { value: [...before.value, ...after.value] };
}

function slicesOf(services: Services, lacking: readonly Lacking[]): Slice[] {
  const open = new Map<string, Slice>();
  const slices: Slice[] = [];
  for (const { work, missing } of lacking) {
    const embedder = embedderOf(services, work.file);
    const key = `${work.file.embeddingModel} ${work.file.dimensions}`;
    for (const chunk of missing) {
      let slice = open.get(key);
      if (slice === undefined || slice.wanted.length >= embedder.batchLimit) {
        slice = { embedder, wanted: [] };
        open.set(key, slice);
        slices.push(slice);
      }
      slice.wanted.push({ work, chunk });
    }
  }
  return slices;
}

type Embed = (wanted: Wanted[]) => Promise<Float32Array[]>;

async function embedSlice(
  embed: Embed,
  wanted: Wanted[],
): Promise<Map<FileWork, Outcome<Embedded[]>>> {
  if (wanted.length === 0) return new Map();
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
export const callEmbedder = (embedder: Embedder, texts: string[]): Promise<EmbeddedTexts> =>
  labelFailure("embedding provider", () =>
    embedTexts(embedder, texts, AbortSignal.timeout(EMBEDDING_TIMEOUT_MS)),
  );

const isRefusal = (thrown: unknown) =>
  thrown instanceof Error && thrown.cause instanceof ModelFailure && !thrown.cause.retryable;

const lengthOf = (wanted: Wanted[]) =>
  wanted.reduce((sum, { chunk }) => sum + chunk.end - chunk.start, 0);

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
