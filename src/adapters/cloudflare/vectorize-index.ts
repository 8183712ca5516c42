import { z } from "zod";

import { withAncestors } from "../../core/folders.ts";
import { hash32 } from "../../core/hash.ts";
import { type ChunkId, type VectorId, asId, chunkOfVector } from "../../core/ids.ts";
import { toBatches } from "../../core/work/batches.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import type {
  IndexedVector,
  VectorFilter,
  VectorIndex,
  VectorSpace,
} from "../../ports/vector-index.ts";
import { ONCE_MORE, retryBindingCall } from "./retry-binding-call.ts";

/**
 * Vectorize (https://developers.cloudflare.com/vectorize/reference/client-api/), within its
 * limits (https://developers.cloudflare.com/vectorize/platform/limits/). Writes become visible
 * after 30 s to 2 min; callers compensate for that and for the approximate scores.
 */
const UPSERT_BATCH = 1_000;
const DELETE_BATCH = 100;
const GET_BATCH = 20;
/** At most six connections are open at once; more calls would only wait. */
const CALLS_AT_ONCE = 6;
const MAX_TOP_K = 100;
const MAX_FILTER_BYTES = 2_048;
/** Bytes of `{"folder9":{"$in":[]}}`, with a reserve. */
const FILTER_FRAME_BYTES = 64;
/** Bytes of a key of 16 hex digits, its quotes and a comma. */
const FILTER_VALUE_BYTES = 19;
const VALUES_PER_FILTER = Math.floor((MAX_FILTER_BYTES - FILTER_FRAME_BYTES) / FILTER_VALUE_BYTES);
/** Metadata indexes: one for the file, one for the ancestor folder at each depth. Ten are allowed. */
const MAX_FOLDER_DEPTH = 9;
const FILE_PROPERTY = "file";
const FOLDER_PROPERTIES = Array.from({ length: MAX_FOLDER_DEPTH }, (_, at) => `folder${at + 1}`);

/** The metadata indexes that must exist before the first upsert; all of type string. */
export const METADATA_INDEXES: readonly string[] = [FILE_PROPERTY, ...FOLDER_PROPERTIES];

const matchesSchema = z.object({
  matches: z.array(z.object({ id: z.string(), score: z.number() })),
});
const infoSchema = z.object({
  processedUpToDatetime: z.union([z.number(), z.string()]).nullish(),
});

const storedSchema = z.array(
  z.object({ id: z.string(), metadata: z.record(z.string(), z.unknown()).nullish() }),
);

type Binding = Pick<Vectorize, "upsert" | "deleteByIds" | "getByIds" | "query" | "describe">;
type Match = { id: VectorId; score: number };
type ChunkMatch = { id: ChunkId; score: number };

export function vectorizeIndex(binding: Binding): VectorIndex {
  return {
    async upsert(space, vectors) {
      for (const batch of toBatches(vectors, UPSERT_BATCH)) {
        const records = batch.map((vector) => recordOf(space, vector));
        await retryCall(() => binding.upsert(records));
      }
    },
    async remove(ids) {
      for (const batch of toBatches(ids, DELETE_BATCH)) {
        await retryCall(() => binding.deleteByIds(batch));
      }
    },
    async query(space, vector, { topK, filter }) {
      const filters = filter === null ? [undefined] : filtersOf(filter);
      const limit = Math.min(topK, MAX_TOP_K);
      const lists = await Promise.all(
        filters.map((filter) => ask(binding, space, vector, limit, filter)),
      );
      const best = rankMatches(lists.flat());
      const matches = best.slice(0, topK);
      const cut = lists.filter(({ length }) => length >= limit);
      return { matches, floor: floorOf(best.length > topK ? [...cut, matches] : cut) };
    },
    async findPresent(vectors) {
      const folders = new Map<string, string>(
        vectors.map(({ vectorId, folder }) => [vectorId, folder]),
      );
      const batches = toBatches([...folders.keys()], GET_BATCH);
      const replies = await mapParallel(batches, CALLS_AT_ONCE, (batch) =>
        retryCall(() => binding.getByIds(batch)),
      );
      const storedVectors = replies.flatMap((some) => storedSchema.parse(some));
      const current = storedVectors.filter(({ id, metadata }) =>
        isInFolder(metadata, folders.get(id) ?? ""),
      );
      return new Set(current.map(({ id }) => asId<VectorId>(id)));
    },
    async findNear(space, vector) {
      const matches = await ask(binding, space, vector, MAX_TOP_K, undefined);
      return matches.map(({ id }) => id);
    },
    async processedUpTo() {
      const { processedUpToDatetime } = infoSchema.parse(await retryCall(() => binding.describe()));
      return new Date(processedUpToDatetime ?? 0).getTime();
    },
  };
}

const retryCall = async <T>(call: () => Promise<T>, rules?: typeof ONCE_MORE) =>
  await retryBindingCall("vector index", call, rules);

async function ask(
  binding: Binding,
  space: VectorSpace,
  vector: Float32Array,
  topK: number,
  filter: VectorizeVectorMetadataFilter | undefined,
): Promise<Match[]> {
  const options = {
    topK,
    namespace: namespaceOf(space),
    returnValues: false,
    returnMetadata: "none",
  } as const;
  const query = filter === undefined ? options : { ...options, filter };
  const reply = await retryCall(() => binding.query(vector, query), ONCE_MORE);
  return matchesSchema.parse(reply).matches.map(({ id, score }) => ({ id: asId(id), score }));
}

function recordOf(space: VectorSpace, vector: IndexedVector): VectorizeVector {
  const metadata = { [FILE_PROPERTY]: keyOf(vector.fileId), ...placeOf(vector.folder) };
  return { id: vector.id, values: vector.values, namespace: namespaceOf(space), metadata };
}

/** The properties that store the folder of a vector's file. */
function placeOf(folder: string): Record<string, string> {
  const indexed = withAncestors(folder).slice(0, MAX_FOLDER_DEPTH);
  return Object.fromEntries(indexed.map((folder) => [folderProperty(folder), keyOf(folder)]));
}

function isInFolder(metadata: Record<string, unknown> | null | undefined, folder: string): boolean {
  const place = placeOf(folder);
  return FOLDER_PROPERTIES.every((property) => metadata?.[property] === place[property]);
}

/** The UUID without dashes, then the generation: at most 64 bytes. */
function namespaceOf({ ragId, generation }: VectorSpace): string {
  return `${ragId.replaceAll("-", "")}.${generation}`;
}

/**
 * The filters whose union is `filter`. Keys are ANDed and there is no OR, so each folder depth is
 * a query of its own, as is each list over the size limit. A folder below the indexed depth is
 * searched by its deepest indexed ancestor; the index object drops the rest.
 */
function filtersOf(filter: VectorFilter): VectorizeVectorMetadataFilter[] {
  const valuesOf = new Map<string, Set<string>>();
  const add = (property: string, value: string) => {
    const values = valuesOf.get(property) ?? new Set();
    valuesOf.set(property, values.add(value));
  };
  for (const fileId of filter.fileIds ?? []) add(FILE_PROPERTY, keyOf(fileId));
  for (const folder of filter.folders ?? []) {
    const indexed = folder.split("/").slice(0, MAX_FOLDER_DEPTH).join("/");
    add(folderProperty(indexed), keyOf(indexed));
  }
  return [...valuesOf].flatMap(([property, values]) =>
    toBatches([...values], VALUES_PER_FILTER).map((batch) => ({
      [property]: { $in: batch },
    })),
  );
}

const folderProperty = (folder: string) => `folder${folder.split("/").length}`;

const KEY_SEED = 0x51ed270b;

/** 64 bits of hash in hex: well below the 64 bytes of a string that are indexed. */
function keyOf(text: string): string {
  const half = (seed: number) => hash32(text, seed).toString(16).padStart(8, "0");
  return half(0) + half(KEY_SEED);
}

/** The highest last score among the truncated lists. */
function floorOf(lists: { score: number }[][]): number | null {
  const ends = lists.flatMap((list) => list.at(-1)?.score ?? []);
  return ends.length === 0 ? null : Math.max(...ends);
}

/** A text that was removed and added again can have two vectors for a while. */
function rankMatches(matches: Match[]): ChunkMatch[] {
  const best = new Map<ChunkId, ChunkMatch>();
  for (const { id: vectorId, score } of matches) {
    const id = chunkOfVector(vectorId);
    if (score > (best.get(id)?.score ?? -Infinity)) best.set(id, { id, score });
  }
  return [...best.values()].sort((a, b) => b.score - a.score);
}
