/** The largest document that is read or pushed, bytes; the service's limit, not the platform's. */
const LIMIT_MIB = 25;
export const DOCUMENT_LIMIT_BYTES = LIMIT_MIB * 1_024 * 1_024;

/** Says what is wrong with a larger file. */
export const ABOVE_LIMIT = `larger than ${LIMIT_MIB} MiB`;
