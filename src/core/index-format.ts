/** Increment it when the same bytes yield another text. */
export const EXTRACTION_FORMAT = 24;
/** Increment it when the same text and settings yield other chunks. */
export const CHUNKING_FORMAT = 10;
/** Increment it when an index object stores or finds its chunks in another way. */
const LAYOUT_FORMAT = 9;

/** Stored with each generation of an index; another one needs a rebuild. All three only grow. */
export const INDEX_FORMAT = EXTRACTION_FORMAT + CHUNKING_FORMAT + LAYOUT_FORMAT - 2;
