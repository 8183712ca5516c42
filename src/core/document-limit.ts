/**
 * The largest document that is read or pushed, bytes; a limit of the service, not of the
 * platform.
 */
export const DOCUMENT_LIMIT_BYTES = 25 * 1_024 * 1_024;
