import { reasonOf } from "../../core/errors.ts";
import { newId, type RagId, type TokenId } from "../../core/ids.ts";
import { insertQuery } from "../../db/evaluation/query-store.ts";
import type { Services } from "../../services.ts";
import { stemOf } from "../../text/stems.ts";
import { withoutStopWords } from "../../text/stop-words.ts";
import { wordsOf } from "../../text/words.ts";

/** Characters of a query; a longer text is no question. */
const QUERY_KEPT = 500;

type KeptSearch = {
  rags: readonly { id: RagId; identifier: string }[];
  queries: readonly string[];
  /** Null: somebody tries it out in the panel, and nothing is kept. */
  tokenId: TokenId | null;
};

type SearchOutcome = {
  chunks: readonly { score: number; source: { ragIdentifier: string; filePath: string } }[];
};

/** After the answer, with `KEEP_QUERIES_DAYS` only; a failure is logged and changes nothing. */
export function keepQueries(
  {
    config,
    db,
    log,
    now,
    runInBackground,
  }: Pick<Services, "config" | "db" | "log" | "now" | "runInBackground">,
  { rags, queries, tokenId }: KeptSearch,
  { chunks }: SearchOutcome,
): void {
  if (config.KEEP_QUERIES_DAYS === 0 || tokenId === null) return;
  const query = queries.join("\n").trim().slice(0, QUERY_KEPT).toWellFormed();
  const [first] = chunks;
  const rag = rags.find(({ identifier }) => identifier === first?.source.ragIdentifier) ?? rags[0];
  if (query === "" || rag === undefined) return;
  const at = now();
  const insertion = insertQuery(db, {
    id: newId(at),
    ragId: rag.id,
    at,
    query,
    sameAs: groupingKeyOf(query),
    bestScore: chunks.length === 0 ? null : Math.max(...chunks.map(({ score }) => score)),
    file: first?.source.filePath ?? null,
  });
  runInBackground(
    insertion.catch((thrown: unknown) => {
      log.warn("query not kept", { reason: reasonOf(thrown) });
    }),
  );
}

/** The stems of its words in order, without those that only build the sentence. */
function groupingKeyOf(query: string): string {
  const stems = withoutStopWords(wordsOf(query)).map(stemOf);
  return stems.length === 0 ? query : [...new Set(stems)].sort().join(" ");
}
