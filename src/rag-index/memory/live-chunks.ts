import type { Row } from "../tables.ts";

/** A live chunk, and whether it is marked as a duplicate; as a row of the tables. */
export type Placed = Row<"chunks", "chunk" | "duplicate">;

export type LiveChunk = { chunk: number; duplicate: boolean };

/** Which live chunks a search may return. */
export type LiveChunks = { includes(chunk: LiveChunk): boolean };
