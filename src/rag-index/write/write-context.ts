import type { TermCounts } from "./term-counts.ts";

/** A chunk whose mark may have changed. */
export type DuplicateMark = { chunk: number; duplicate: boolean };

/** What a write did to the live chunks, for what is kept of them in memory. In this order. */
export type IndexChange = { left: number[]; entered: number[]; marks: DuplicateMark[] };

export const noChange = (): IndexChange => ({ left: [], entered: [], marks: [] });

/** What a write works on, inside its transaction. */
export type WriteContext = { sql: SqlStorage; termCounts: TermCounts; change: IndexChange };
