/** Raise it when the same bytes give another text. */
export const EXTRACTION_FORMAT = 6;
/** Raise it when the same text and settings give other chunks. */
export const CHUNKING_FORMAT = 6;
/** Raise it when an index object stores or finds its chunks in another way. */
const LAYOUT_FORMAT = 1;

/**
 * Version of all three together, stored with each generation of a RAG's index: where it differs,
 * the index is built anew beside the old one. None of them ever shrinks, so their sum tells.
 */
export const INDEX_FORMAT = EXTRACTION_FORMAT + CHUNKING_FORMAT + LAYOUT_FORMAT - 2;
