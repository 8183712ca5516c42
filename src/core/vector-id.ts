import { asId, type ChunkId, type VectorId } from "./ids.ts";

const SEPARATOR = ".";
const RADIX = 36;

/**
 * The id of a chunk's vector: the chunk's id and a number that an index object never reuses. So a
 * late deletion cannot remove the vector of a text that was added again, and a vector that
 * becomes visible late is not mistaken for it. At most 52 bytes.
 */
export function vectorIdOf(id: ChunkId, storing: number): VectorId {
  return asId(`${id}${SEPARATOR}${storing.toString(RADIX)}`);
}

export function chunkOfVector(id: VectorId): ChunkId {
  const [chunk = id] = id.split(SEPARATOR, 1);
  return asId(chunk);
}
