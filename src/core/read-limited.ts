/** What is set aside first when nothing says how long a body is; it doubles as it fills. */
const FIRST_BYTES = 64 * 1_024;

/**
 * Reads a body whole; null as soon as it is longer than `limit` bytes. An announced length is set
 * aside at once, so that a large file is held in memory once, and is not believed beyond that.
 */
export async function readLimited(
  body: ReadableStream<Uint8Array> | ArrayBuffer,
  limit: number,
  announcedBytes: number | null = null,
): Promise<Uint8Array | null> {
  if (body instanceof ArrayBuffer) return body.byteLength > limit ? null : new Uint8Array(body);
  let whole = new Uint8Array(Math.min(limit, announcedBytes ?? FIRST_BYTES));
  let size = 0;
  for await (const part of body) {
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
