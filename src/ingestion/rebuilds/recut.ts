type Chunking = { chunkSize: number; chunkOverlap: number };

/** The share of `chunkSize` that chunks fill which are cut by it, and of the overlap they repeat. */
const USUAL_FILL = 0.85;
const USUAL_OVERLAP = 0.7;
/** A chunk that fills less ends where its section does: it neither overlaps nor merges. */
const SECTION_FILL = 0.5;

/**
 * How many chunks other settings make of a sample of chunks, and the tokens of their texts. Within
 * a third of the real figures on manuals, prose, notes and documents of short sections.
 * @param tokens of each sampled chunk. @param firstShare of chunks that begin a file.
 */
export function recut(
  tokens: readonly number[],
  live: Chunking,
  wanted: Chunking,
  firstShare: number,
): { chunks: number; tokens: number } {
  const overlap = wanted.chunkOverlap * USUAL_OVERLAP;
  const fresh = Math.max(1, wanted.chunkSize * USUAL_FILL - overlap);
  const total = { chunks: 0, tokens: 0 };
  for (const size of tokens) {
    const isSection = size < live.chunkSize * SECTION_FILL;
    const firsts = isSection ? 1 : firstShare;
    const own = Math.max(1, size - live.chunkOverlap * USUAL_OVERLAP * (1 - firsts));
    const merged = isSection ? 1 : Math.min(1, own / fresh);
    const chunks = own <= wanted.chunkSize ? merged : (own - overlap) / fresh;
    total.chunks += chunks;
    total.tokens += own + overlap * Math.max(0, chunks - firsts);
  }
  return total;
}
