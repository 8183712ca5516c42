import type { ChunkId, VectorId } from "./ids.ts";

const SEPARATOR = ".";
const RADIX = 36;

/**
 * The id of a chunk's vector: the chunk's id and a number that an index object never uses twice. So
 * a late deletion cannot hit the vector of a text that was added again, and a vector that shows
 * late cannot be taken for it. At most 52 bytes.
 */
export function vectorIdOf(id: ChunkId, storing: number): VectorId {
  return `${id}${SEPARATOR}${storing.toString(RADIX)}` as VectorId;
}

export function chunkOfVector(id: VectorId): ChunkId {
  return id.split(SEPARATOR, 1)[0] as ChunkId;
}
