/**
 * Version of chunking, extraction and index layout together, stored with each generation of a
 * RAG's index. A change of it rebuilds beside the old index.
 */
export const INDEX_FORMAT = 1;
