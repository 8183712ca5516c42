import type { Row } from "../tables.ts";

/** A live chunk, its file, and whether it is marked as a duplicate; as a row of the tables. */
export type Placed = Row<"chunks", "chunk" | "file" | "duplicate">;

export type LiveChunk = { chunk: number; file: number; duplicate: boolean };

/** Which live chunks a search may return. */
export type LiveChunks = { includes(chunk: LiveChunk): boolean };
