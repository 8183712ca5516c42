import { sharesOfWords, wordsOfPassage } from "./passage-features.ts";
import type { RagFindings } from "./rag-findings.ts";
import type { ScoredChunk } from "./score-chunks.ts";

/** A passage with so many of a query's words stays, however far its vector is. */
const SPEAKING_SHARE = 2 / 3;
/** The words of those behind are not looked at. */
const LOOKED_AT = 20;

/**
 * Without passages that are no closer to a query than to questions about something else, where their
 * RAG says so (`ingestion/maintenance/measure-unrelated.ts`) and vectors were searched.
 */
export function leaveOutUnrelated(
  ordered: ScoredChunk[],
  findings: RagFindings[],
  queries: string[],
): ScoredChunk[] {
  const leasts = new Map<string, number>();
  for (const { target, embedded, mode } of findings) {
    const { identifier, unrelatedSimilarity } = target.rag;
    const isMeant = embedded !== null && mode !== "keyword";
    if (isMeant && unrelatedSimilarity !== null) leasts.set(identifier, unrelatedSimilarity);
  }
  const isFar = ({ scored, score, ragIdentifier }: ScoredChunk) =>
    scored && score < (leasts.get(ragIdentifier) ?? 0);
  const far = ordered.slice(0, LOOKED_AT).filter(isFar);
  const words = far.map(({ chunk }) => wordsOfPassage({ path: chunk.file.path, ...chunk }));
  const shares = sharesOfWords(queries, words);
  const speaking = new Set(far.filter((_, at) => (shares[at] ?? 0) >= SPEAKING_SHARE));
  return ordered.filter((chunk) => !isFar(chunk) || speaking.has(chunk));
}
