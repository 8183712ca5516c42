import type { ChunkId, VectorId } from "./ids.ts";

const SEPARATOR = ".";
const RADIX = 36;

/**
 * The id of a chunk's vector: the chunk's, and the number of its storing, which never comes again
 * within an index object. So a deletion that comes late cannot hit the vector of a text that has
 * come back, and a vector that shows late cannot pass for it. At most 52 bytes.
 */
export function vectorIdOf(id: ChunkId, storing: number): VectorId {
  return `${id}${SEPARATOR}${storing.toString(RADIX)}` as VectorId;
}

export function chunkOfVector(id: VectorId): ChunkId {
  return id.split(SEPARATOR, 1)[0] as ChunkId;
}
