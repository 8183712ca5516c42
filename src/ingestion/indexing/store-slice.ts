import type { Embedder } from "../../ports/models.ts";
import { ModelFailure } from "../../ports/models.ts";
import type { Services } from "../../services.ts";
import { embeddedText } from "../../documents/chunking/chunk-document.ts";
import { embedSlice } from "./embed-chunks.ts";
import type { Slice, Wanted } from "./embed-chunks.ts";
import type { EmbeddingTally } from "./embedding-tally.ts";
import type { Embedded, FileWork } from "./file-work.ts";
import { storeEmbedded } from "./store-embedded.ts";
import { recordFailure } from "./store-versions.ts";

/**
 * Embeds a slice and stores its chunks, file by file. A failure is recorded on the files it
 * affects.
 */
export async function storeSlice(
  services: Services,
  slice: Slice,
  tally: EmbeddingTally,
): Promise<void> {
  await services.takeTurn(lengthOf(slice.wanted));
  const wanted = slice.wanted.filter(({ work }) => work.failure === null);
  if (wanted.length === 0) return;
  const embedder = services.models.embedder(slice.model, slice.dimensions);
  const embed = (some: Wanted[]) => counted(services, embedder, some, tally);
  const byWork = await embedByWork(embed, wanted);
  await storeEmbedded(services, byWork);
}

type Embed = (wanted: Wanted[]) => Promise<Float32Array[]>;

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
    const embedded = await embedSlice(embedder, textsOf(wanted));
    ({ tokens } = embedded);
    return embedded.vectors;
  } finally {
    tally.add({ model: embedder.name, wanted, tokens, latencyMs: now() - startedAt });
  }
}

async function embedByWork(embed: Embed, wanted: Wanted[]): Promise<Map<FileWork, Embedded[]>> {
  const works = new Set(wanted.map(({ work }) => work));
  try {
    return grouped(wanted, await embed(wanted));
  } catch (thrown) {
    // A refusal may be caused by one text, so each file is tried alone. Other failures affect all
    // files.
    if (works.size > 1 && isRefusal(thrown)) return await embedEach(embed, works, wanted);
    for (const work of works) work.failure ??= { thrown };
    return new Map();
  }
}

async function embedEach(embed: Embed, works: Set<FileWork>, wanted: Wanted[]) {
  const byWork = new Map<FileWork, Embedded[]>();
  for (const work of works) {
    const own = wanted.filter((one) => one.work === work);
    await recordFailure(work, async () => {
      byWork.set(work, grouped(own, await embed(own)).get(work) ?? []);
    });
  }
  return byWork;
}

const isRefusal = (thrown: unknown) =>
  thrown instanceof Error && thrown.cause instanceof ModelFailure && !thrown.cause.retryable;

const textsOf = (wanted: Wanted[]) =>
  wanted.map(({ work, chunk }) => embeddedText(work.markdown, chunk));

const lengthOf = (wanted: Wanted[]) =>
  wanted.reduce((sum, { chunk }) => sum + chunk.end - chunk.start, 0);

function grouped(wanted: Wanted[], vectors: Float32Array[]): Map<FileWork, Embedded[]> {
  const byWork = new Map<FileWork, Embedded[]>();
  for (const [at, { work, chunk }] of wanted.entries()) {
    const vector = vectors[at];
    if (vector === undefined) continue;
    const list = byWork.get(work) ?? [];
    list.push({ chunk, vector });
    byWork.set(work, list);
  }
  return byWork;
}
