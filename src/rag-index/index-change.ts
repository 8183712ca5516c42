import type { DuplicateMark } from "./write/duplicates.ts";

/** What a write did to the live chunks, for what is kept of them in memory. In this order. */
export type IndexChange = { left: number[]; entered: number[]; marks: DuplicateMark[] };

export const noChange = (): IndexChange => ({ left: [], entered: [], marks: [] });
