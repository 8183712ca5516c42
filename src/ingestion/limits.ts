/** The largest document, bytes. */
export const FILE_LIMIT_BYTES = 25 * 1024 * 1024;
