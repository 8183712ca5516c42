import { folderOf } from "../../core/folders.ts";
import { inParallel } from "../../core/work/parallel.ts";
import type { FileVersion, WrittenVersion } from "../../ports/index-versions.ts";
import type { IndexedVector } from "../../ports/vector-index.ts";
import type { Services } from "../../services.ts";
import { stagedFrom } from "./embed-chunks.ts";
import { addressOf, factsOf, indexOf, placed } from "./file-work.ts";
import type { FileWork } from "./file-work.ts";
import { labelFailure } from "./index-failure.ts";
import { isInVectorIndex, newUpsertBatch, upsertVectors } from "../vector-sync/upsert-vectors.ts";

/** Indexes that are written at once. */
const INDEXES_AT_ONCE = 6;
/** What a call writes of several files; searches of this index wait for some 30 ms meanwhile. */
const CHUNKS_PER_CALL = 128;
const CHARACTERS_PER_CALL = 256 * 1_024;
/** The same of replaced versions: more words that leave at once are merged out of the whole index. */
const REPLACED_PER_CALL = 32;
/** A file with more missing chunks is large: its chunks are stored as they are embedded. */
const HELD_CHUNKS = 64;

export const isSmall = ({ missing }: FileWork) => missing.length <= HELD_CHUNKS;

/**
 * Takes the small files of which everything is there. Slices are embedded side by side: each
 * version is taken once, or a second call for what is active could fail the file.
 */
export function takeComplete(works: FileWork[]): FileWork[] {
  const taken: FileWork[] = [];
  for (const work of works) {
    const { held, failure } = work;
    if (held === null || held.isTaken || failure !== null) continue;
    if (held.chunks.length < held.wanted) continue;
    held.isTaken = true;
    taken.push(work);
  }
  return taken;
}

export async function recordFailure(work: FileWork, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (thrown) {
    work.failure ??= { thrown };
  }
}

/** The files of each index. */
export function byIndex(works: FileWork[]): FileWork[][] {
  return [...Map.groupBy(works, ({ file }) => JSON.stringify(addressOf(file))).values()];
}

/**
 * Stores and activates the versions of complete files, several with one call of their index; the
 * result or the failure is recorded on each.
 */
export async function storeVersions(services: Services, works: FileWork[]): Promise<void> {
  await inParallel(byIndex(works), INDEXES_AT_ONCE, async (ofIndex) => {
    for (const part of partsOf(ofIndex)) {
      await services.takeTurn(sumOf(part, lengthOf));
      await storeTogether(services, part);
    }
  });
}

function partsOf(works: FileWork[]): FileWork[][] {
  const parts: FileWork[][] = [];
  for (const work of works) {
    const open = parts.at(-1);
    if (open !== undefined && fitsOneCall([...open, work])) open.push(work);
    else parts.push([work]);
  }
  return parts;
}

const fitsOneCall = (works: FileWork[]): boolean =>
  sumOf(works, ({ chunks }) => chunks.length) <= CHUNKS_PER_CALL &&
  sumOf(works, lengthOf) <= CHARACTERS_PER_CALL &&
  sumOf(works, ({ file }) => file.chunkCount) <= REPLACED_PER_CALL;

const sumOf = (works: FileWork[], of: (work: FileWork) => number): number =>
  works.reduce((sum, work) => sum + of(work), 0);

const lengthOf = ({ markdown }: FileWork): number => markdown.length;

/** When a call of several files fails, each is tried alone. */
async function storeTogether(services: Services, works: FileWork[]): Promise<void> {
  try {
    await writeVersions(services, works);
  } catch (thrown) {
    if (works.length > 1) {
      for (const work of works) await storeTogether(services, [work]);
    } else for (const work of works) work.failure ??= { thrown };
  }
}

/** The index is written first: it records every vector before that is sent. */
async function writeVersions(services: Services, works: FileWork[]): Promise<void> {
  const [first] = works;
  if (first === undefined) return;
  const isSent = isInVectorIndex(services, first.file);
  const batch = isSent ? newUpsertBatch(services.now()) : undefined;
  const versions = await Promise.all(works.map(versionOf));
  const index = indexOf(services, first.file);
  const written = await labelFailure("index", () => index.writeVersions(versions, batch));
  const vectors = works.flatMap((work, at) => vectorsOf(work, written[at]));
  if (isSent && vectors.length > 0) {
    const { ragId, generation } = first.file;
    await upsertVectors(services, { ragId, generation }, vectors);
  }
  for (const [at, work] of works.entries()) {
    work.activation = written[at]?.activation ?? null;
    if (work.held !== null) work.held.chunks = [];
  }
}

async function versionOf(work: FileWork): Promise<FileVersion> {
  const { file, held, chunks } = work;
  const staged = await Promise.all(
    (held?.chunks ?? []).map(({ chunk, vector }) => stagedFrom(work, chunk, vector)),
  );
  return { file: factsOf(file), revision: file.revision, staged, chunks: chunks.map(placed) };
}

function vectorsOf({ file, held }: FileWork, written?: WrittenVersion): IndexedVector[] {
  const vectorOf = new Map(held?.chunks.map(({ chunk, vector }) => [chunk.id, vector]));
  const { fileId, path } = file;
  const folder = folderOf(path);
  return (written?.stored ?? []).flatMap(({ id, vectorId }) => {
    const values = vectorOf.get(id);
    return values === undefined ? [] : [{ id: vectorId, values, fileId, folder }];
  });
}
