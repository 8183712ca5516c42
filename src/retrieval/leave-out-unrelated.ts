import { shareOfWords, wordsOfPassage } from "./passage-features.ts";
import type { RagFindings } from "./rag-findings.ts";
import type { ScoredChunk } from "./score-chunks.ts";

/** A passage with so many of a query's words stays, however far its vector is. */
const SPEAKING_SHARE = 2 / 3;
/** The words of those behind are not looked at. */
const LOOKED_AT = 20;

/**
 * Without the passages that are no closer to a query than to questions about something else, where
 * their RAG says so (`ingestion/maintenance/measure-unrelated.ts`). Where words alone were searched,
 * nothing is left out.
 */
export function leaveOutUnrelated(
  ordered: ScoredChunk[],
  findings: RagFindings[],
  queries: string[],
): ScoredChunk[] {
  const leasts = new Map(
    findings.map(({ target: { rag }, embedded, mode }) => {
      const isMeant = embedded !== null && mode !== "keyword";
      return [rag.identifier, isMeant ? (rag.unrelatedSimilarity ?? 0) : 0];
    }),
  );
  const isFar = ({ scored, score, ragIdentifier }: ScoredChunk) =>
    scored && score < (leasts.get(ragIdentifier) ?? 0);
  const far = ordered.slice(0, LOOKED_AT).filter(isFar);
  const words = far.map(({ chunk: { file, headings, text } }) =>
    wordsOfPassage({ path: file.path, headings, text }),
  );
  const shares = queries.map((query) => shareOfWords(query, words));
  const isSpeaking = (_: ScoredChunk, at: number) =>
    shares.some((share) => (share[at] ?? 0) >= SPEAKING_SHARE);
  const speaking = new Set(far.filter(isSpeaking));
  return ordered.filter((chunk) => !isFar(chunk) || speaking.has(chunk));
}
