/** The largest document that is read or pushed, bytes; the service decides it, not the platform. */
export const DOCUMENT_LIMIT_BYTES = 25 * 1_024 * 1_024;
