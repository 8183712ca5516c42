import { decodeHalfFloats, encodeHalfFloats } from "../../core/bytes/half-float.ts";
import { folderOf } from "../../core/folders.ts";
import { foldForDuplicates, sha256Hex } from "../../core/hash.ts";
import { foldedLength } from "../../core/normal-form.ts";
import { splitBySize } from "../../core/work/batches.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import { chunkText } from "../../documents/chunking/chunk-document.ts";
import type { ActivationResult, FileFacts } from "../../ports/index-versions.ts";
import type { FileVersion, StagedChunk } from "../../ports/index-versions.ts";
import type { IndexedVector } from "../../ports/vector-index.ts";
import type { StoredVector } from "../../ports/vector-ledger.ts";
import type { Services } from "../../services.ts";
import { isInVectorIndex, newUpsertBatch, upsertVectors } from "../vector-sync/upsert-vectors.ts";
import type { PlacedIndex } from "../vector-sync/upsert-vectors.ts";
import { labelFailure } from "./end-file.ts";
import { addressOf, groupByIndex, factsOf, indexOf, outcomeOf, placeOf } from "./file-work.ts";
import type { ChunkVector, FileWork, Outcome } from "./file-work.ts";

/** The index is written first: it searches in-flight vectors, and lost ones are sent from it. */

const INDEXES_AT_ONCE = 6;
/**
 * Chunks of several files that a call writes; searches of this index wait for some 30 ms
 * meanwhile.
 */
const CHUNKS_PER_CALL = 128;
const CHARACTERS_PER_CALL = 256 * 1_024;
/** Calls of a large file follow each other, and Han takes several times as long as prose. */
const STAGED_CHARACTERS_PER_CALL = 64 * 1_024;
/**
 * Chunks of replaced versions that a call removes: more words that leave at once are merged out of
 * the whole index.
 */
const REPLACED_PER_CALL = 32;
const DUPLICATE_KEY_LENGTH = 32;

/** A file of which every chunk that the index lacks has its vector. */
export type Complete = { work: FileWork; embedded: readonly ChunkVector[] };
type Outcomes = Map<FileWork, Outcome<ActivationResult>>;

/** Stores and activates the versions of files, several with one call of their index. */
export async function storeVersions(services: Services, complete: Complete[]): Promise<Outcomes> {
  const storedById: Outcomes = new Map();
  await mapParallel(groupByIndex(complete), INDEXES_AT_ONCE, async (ofIndex) => {
    for (const part of partsOf(ofIndex)) {
      await services.takeTurn(sumOf(part, lengthOf));
      for (const [work, outcome] of await storeTogether(services, part))
        storedById.set(work, outcome);
    }
  });
  return storedById;
}

function partsOf(all: Complete[]): Complete[][] {
  const parts: Complete[][] = [];
  for (const file of all) {
    const open = parts.at(-1);
    if (open !== undefined && isOneCall([...open, file])) open.push(file);
    else parts.push([file]);
  }
  return parts;
}

const isOneCall = (all: Complete[]): boolean =>
  sumOf(all, ({ work }) => work.chunks.length) <= CHUNKS_PER_CALL &&
  sumOf(all, lengthOf) <= CHARACTERS_PER_CALL &&
  sumOf(all, ({ work }) => work.file.chunkCount) <= REPLACED_PER_CALL;

const sumOf = (all: Complete[], valueOf: (one: Complete) => number): number =>
  all.reduce((sum, file) => sum + valueOf(file), 0);

const lengthOf = ({ work }: Complete): number => work.markdown.length;

/** When a call of several files fails, each is tried alone. */
async function storeTogether(services: Services, all: Complete[]): Promise<Outcomes> {
  const writing = await outcomeOf(() => writeVersions(services, all));
  if ("value" in writing) return writing.value;
  if (all.length === 1) return new Map(all.map(({ work }) => [work, writing]));
  const alone: Outcomes = new Map();
  for (const file of all) {
    for (const [work, outcome] of await storeTogether(services, [file])) alone.set(work, outcome);
  }
  return alone;
}

async function writeVersions(services: Services, all: Complete[]): Promise<Outcomes> {
  const [first] = all;
  if (first === undefined) return new Map();
  const versions = await mapParallel(all, all.length, async ({ work, embedded }) => ({
    file: factsOf(work.file),
    revision: work.file.revision,
    staged: await stagedChunksOf(work, embedded),
    chunks: work.chunks.map(placeOf),
  }));
  const activations = await writeToIndex(services, addressOf(first.work.file), versions);
  const storedById: Outcomes = new Map();
  for (const [at, { work }] of all.entries()) {
    const activation = activations[at];
    if (activation !== undefined) storedById.set(work, { value: activation });
  }
  return storedById;
}

/** Writes versions with one call of their index, and sends their vectors to the vector index. */
export async function writeToIndex(
  services: Pick<Services, "log" | "now" | "ragIndexes" | "vectorIndex">,
  address: PlacedIndex,
  versions: FileVersion[],
): Promise<ActivationResult[]> {
  const isSent = isInVectorIndex(services, address);
  const batch = isSent ? newUpsertBatch(services.now()) : undefined;
  const index = services.ragIndexes(address);
  const written = await labelFailure("index", () => index.writeVersions(versions, batch));
  const vectorsAt = ({ file, staged }: FileVersion, at: number) =>
    vectorsOf(file, staged, written[at]?.stored ?? []);
  const vectors = isSent ? versions.flatMap(vectorsAt) : [];
  if (vectors.length > 0) await upsertVectors(services, address, vectors);
  return written.map(({ activation }) => activation);
}

/** Stores some chunks of a large file; its version is activated once all of them are stored. */
export async function stageChunks(services: Services, complete: Complete): Promise<void> {
  const { work, embedded } = complete;
  if (embedded.length === 0) return;
  const { file } = work;
  const address = addressOf(file);
  const isSent = isInVectorIndex(services, address);
  const upsert = { ...newUpsertBatch(services.now()), folder: folderOf(file.path) };
  const staged = await stagedChunksOf(work, embedded);
  for (const [at, { chunk }] of embedded.entries()) {
    Object.assign(staged[at] ?? {}, { place: placeOf(chunk) });
  }
  const chunks: StoredVector[] = [];
  const batch = isSent ? upsert : undefined;
  for (const part of splitBySize(staged, { total: STAGED_CHARACTERS_PER_CALL }, textLengthOf)) {
    const added = await labelFailure("index", () =>
      indexOf(services, file).stage(file.fileId, file.revision, part, batch),
    );
    chunks.push(...added);
  }
  if (!isSent || chunks.length === 0) return;
  await upsertVectors(services, address, vectorsOf(factsOf(file), staged, chunks));
}

const textLengthOf = ({ text }: StagedChunk) => foldedLength(text);

const stagedChunksOf = ({ markdown }: FileWork, embedded: readonly ChunkVector[]) =>
  Promise.all(
    embedded.map(async ({ chunk, vector }): Promise<StagedChunk> => {
      const text = chunkText(markdown, chunk);
      const duplicateKey = (await sha256Hex(foldForDuplicates(text))).slice(
        0,
        DUPLICATE_KEY_LENGTH,
      );
      return { id: chunk.id, text, duplicateKey, vector: encodeHalfFloats(vector) };
    }),
  );

/** Vectors to send to the vector index, of chunks that the RAG's index has stored. */
function vectorsOf(
  { fileId, path }: FileFacts,
  staged: readonly StagedChunk[],
  rows: StoredVector[],
): IndexedVector[] {
  const vectorOf = new Map(staged.map(({ id, vector }) => [id, vector]));
  const folder = folderOf(path);
  return rows.flatMap(({ id, vectorId }) => {
    const vector = vectorOf.get(id);
    if (vector === undefined) return [];
    return [{ id: vectorId, values: decodeHalfFloats(vector), fileId, folder }];
  });
}
