import { DAY_MS } from "../core/time.ts";
import { compareChunks, type ScoredChunk, type ScoredList } from "./score-chunks.ts";

/** The share of a passage's value that age may take: one that fits clearly better stays first. */
const AT_STAKE = 0.25;

/** The share of its value that a passage keeps: 1 for one of today. */
function recencyOf(ageMs: number, halfLifeDays: number): number {
  const halves = Math.max(0, ageMs) / (halfLifeDays * DAY_MS);
  return 1 - AT_STAKE * (1 - 0.5 ** halves);
}

/** Puts the newer of passages that fit about equally first, in RAGs that have a half-life. */
export const orderByRecency = (lists: ScoredList[], now: number): ScoredList[] =>
  lists.map((list) => {
    const { recencyHalfLifeDays: halfLife } = list.findings.target.rag;
    if (halfLife === null) return list;
    const chunks = list.chunks.map((chunk) => applyRecency(chunk, now, halfLife));
    return { ...list, chunks: chunks.sort(compareChunks) };
  });

function applyRecency(chunk: ScoredChunk, now: number, halfLife: number): ScoredChunk {
  const recency = recencyOf(now - chunk.chunk.file.modifiedAt, halfLife);
  return { ...chunk, value: chunk.value * recency, recency };
}
