import { hash32 } from "./hash.ts";
import type { FileId } from "./ids.ts";

/** The shard of a generation that stores a file; it never changes within a generation. */
export function shardOf(fileId: FileId, shards: number): number {
  return shards === 1 ? 0 : hash32(fileId) % shards;
}
