import type { RagRecord } from "../db/records.ts";
import type { SearchMode } from "../ports/rag-index.ts";

export type { SearchMode };

/** Absent: each RAG is searched in its own mode. */
export type AskedMode = { searchMode?: SearchMode | undefined };

/** A RAG as one call searches it. */
export type SearchedRag = Omit<RagRecord, "searchMode"> & { searchMode: SearchMode };

/** The mode that a call asks for; without one, the RAG's own. */
export const modeOf = (rag: RagRecord, { searchMode = rag.searchMode }: AskedMode) => ({
  searchMode,
});

export const applySearchMode = (rag: RagRecord, mode: AskedMode): SearchedRag => ({
  ...rag,
  ...modeOf(rag, mode),
});

/** Whether words are searched from the start, and not only where vectors are lost. */
export const hasWordSearch = (mode: SearchMode): boolean => mode !== "semantic";
