import type { RagRecord } from "../db/records.ts";
import type { SearchMode } from "../ports/rag-index.ts";

export const SEARCH_MODES = ["hybrid", "semantic", "keyword"] as const satisfies SearchMode[];
export type { SearchMode };

/** A RAG as one call searches it. */
export type SearchedRag = Omit<RagRecord, "searchMode"> & { searchMode: SearchMode };

/** The RAG in the mode that the call asks for; without one, in its own. */
export const searchedAs = (rag: RagRecord, mode: SearchMode | undefined): SearchedRag =>
  mode === undefined ? rag : { ...rag, searchMode: mode };

/** Whether words are searched from the start, and not only where vectors are lost. */
export const searchesWords = (mode: SearchMode): boolean => mode !== "semantic";
