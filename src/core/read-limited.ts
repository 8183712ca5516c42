import { piecesOf } from "./stream-pieces.ts";

/** Initial size of the buffer when the length of a body is unknown; it doubles when full. */
const FIRST_BYTES = 64 * 1_024;

/**
 * Reads a whole body; null as soon as it exceeds `limit` bytes. The announced length is allocated
 * at once, so that a large file is in memory only once; the length is otherwise not trusted.
 */
export async function readLimited(
  body: ReadableStream<Uint8Array> | ArrayBuffer,
  limit: number,
  announcedBytes: number | null = null,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (body instanceof ArrayBuffer) return body.byteLength > limit ? null : new Uint8Array(body);
  let whole = new Uint8Array(Math.min(limit, announcedBytes ?? FIRST_BYTES));
  let size = 0;
  for await (const part of piecesOf(body)) {
    const end = size + part.byteLength;
    if (end > limit) return null;
    if (end > whole.byteLength)
      whole = grown(whole, size, Math.min(limit, Math.max(end, size * 2)));
    whole.set(part, size);
    size = end;
  }
  return size === whole.byteLength ? whole : whole.slice(0, size);
}

function grown(whole: Uint8Array, filled: number, bytes: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(bytes);
  larger.set(whole.subarray(0, filled));
  return larger;
}
