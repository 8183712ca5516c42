import { hash32 } from "./hash.ts";
import type { FileId } from "./ids.ts";

/** Which of a generation's shards holds a file; it never moves within a generation. */
export function shardOf(fileId: FileId, shards: number): number {
  return shards === 1 ? 0 : hash32(fileId) % shards;
}
