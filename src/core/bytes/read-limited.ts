/** Initial size of the buffer when the length of a body is unknown; it doubles when full. */
const FIRST_BYTES = 64 * 1_024;

/** Null as soon as a body exceeds `limit` bytes. The announced length only sizes the buffer. */
export async function readLimited(
  body: AsyncIterable<Uint8Array> | ArrayBuffer,
  limit: number,
  announcedBytes: number | null = null,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (body instanceof ArrayBuffer) return body.byteLength > limit ? null : new Uint8Array(body);
  let whole = new Uint8Array(Math.min(limit, announcedBytes ?? FIRST_BYTES));
  let size = 0;
  for await (const part of piecesOf(body)) {
    const end = size + part.byteLength;
    if (end > limit) return null;
    if (end > whole.byteLength) whole = resize(whole, Math.min(limit, Math.max(end, size * 2)));
    whole.set(part, size);
    size = end;
  }
  return resize(whole, size);
}

const resize = ({ buffer }: Uint8Array<ArrayBuffer>, bytes: number) =>
  new Uint8Array(buffer.transfer(bytes));

const PIECE_BYTES = 64 * 1_024;

/** Pieces up to 64 KiB: copy each at once, the next overwrites it. Stopping cancels the stream. */
export async function* piecesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body instanceof ReadableStream ? largeReaderOf(body) : null;
  if (reader === null) yield* body;
  else yield* largePieces(reader);
}

/**
 * A stream of bytes gives pieces of 4 KiB at most, unless the reader brings the memory:
 * https://developers.cloudflare.com/workers/runtime-apis/streams/readablestreambyobreader/
 * Null for a stream of another kind, or one that cannot be read, as its own iterator then says.
 */
function largeReaderOf(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return body.getReader({ mode: "byob" });
  } catch (thrown) {
    if (thrown instanceof TypeError) return null;
    throw thrown;
  }
}

async function* largePieces(reader: ReadableStreamBYOBReader): AsyncGenerator<Uint8Array, void> {
  let memory = new Uint8Array(PIECE_BYTES);
  let isOpen = true;
  try {
    for (;;) {
      const { done: isDone, value } = await reader.read(memory);
      isOpen = !isDone;
      if (value === undefined || isDone) return;
      yield value;
      memory = new Uint8Array(value.buffer);
    }
  } finally {
    if (isOpen) await reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}
