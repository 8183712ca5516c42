/** In JSON: 25 such texts and their ids are less than the 64 KB that are billed as one message. */
const CARRIED_BYTES = 2_200;

/** Keeps a byte order mark, so that the text is the same bytes again. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * A file's bytes as a text that is short enough to travel in the message that indexes the file;
 * null for others, which are read from the bucket.
 */
export function carriedText(bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes.byteLength > CARRIED_BYTES) return null;
  try {
    const text = decoder.decode(bytes);
    const escapes = JSON.stringify(text).length - text.length;
    return bytes.byteLength + escapes <= CARRIED_BYTES ? text : null;
  } catch {
    return null;
  }
}
